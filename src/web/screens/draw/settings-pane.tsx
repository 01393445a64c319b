import { Shuffle } from "lucide-react";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { ModelPicker } from "../../components/composer/model-picker.tsx";
import { pricesText } from "../../components/model/price-text.ts";
import { SchemaForm } from "../../components/schema-form/schema-form.tsx";
import { toModelPath, toModelRef } from "../../data/model-ref.ts";
import { useStored } from "../../data/saved/use-stored.ts";
import { t } from "../../messages/t.ts";
import { Field } from "../../ui/controls/field.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Slider } from "../../ui/controls/slider.tsx";
import { TextArea } from "../../ui/controls/text-area.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import styles from "./draw.module.css";
import type { LiveFields } from "./live-fields.ts";
import type { DrawSettings } from "./use-settings.ts";

const maxSeed = 2 ** 31 - 1;

/** Model, prompt, strength and seed, with the model's other settings in a form below. */
export function SettingsPane({
  projectId,
  settings,
  fields,
  isDisabled,
}: {
  projectId: string;
  settings: DrawSettings;
  fields: LiveFields;
  isDisabled: boolean;
}) {
  // Stays as the person left it, across models.
  const [isMoreOpen, setMoreOpen] = useStored("form:draw", false);
  const { model, values, setValues, setModel, isLoading } = settings;
  const set = (name: string, value: JsonObject[string] | undefined) => {
    const { [name]: _, ...rest } = values;
    setValues(value === undefined ? rest : { ...rest, [name]: value });
  };
  if (isLoading && !model) return <SkeletonText lines={6} />;
  const { strength } = fields;
  return (
    <div className={styles.settings}>
      <Field label={t("draw.model")} hint={model && pricesText(model.prices)} isGroup>
        {() => (
          <ModelPicker
            projectId={projectId}
            task="live"
            side="bottom"
            model={model}
            mustChoose={model === null}
            onChoose={(choice) => setModel(toModelRef(choice))}
            isDisabled={isDisabled}
          />
        )}
      </Field>
      {fields.hasPrompt && (
        <TextArea
          label={t("draw.prompt")}
          hint={t("draw.prompt.hint")}
          value={typeof values.prompt === "string" ? values.prompt : ""}
          onValueChange={(prompt) => set("prompt", prompt || undefined)}
          minRows={3}
          disabled={isDisabled}
        />
      )}
      {strength && (
        <Slider
          label={strength.title}
          min={strength.min}
          max={strength.max}
          step={strength.step}
          value={
            typeof values[strength.name] === "number"
              ? Number(values[strength.name])
              : strength.value
          }
          onValueChange={(value) => set(strength.name, value)}
          disabled={isDisabled}
        />
      )}
      {fields.hasSeed && (
        <TextField
          label={t("draw.seed")}
          hint={t("draw.seed.hint")}
          inputMode="numeric"
          value={typeof values.seed === "number" ? String(values.seed) : ""}
          onValueChange={(text) =>
            set("seed", /^\d{1,10}$/.test(text) ? Math.min(maxSeed, Number(text)) : undefined)
          }
          disabled={isDisabled}
          end={
            <IconButton
              size="small"
              icon={Shuffle}
              label={t("draw.seed.random")}
              disabled={isDisabled}
              onClick={() => set("seed", Math.floor(Math.random() * maxSeed))}
            />
          }
        />
      )}
      {fields.hasMore && model?.inputSchema && (
        <details
          className={styles.more}
          open={isMoreOpen}
          onToggle={(event) => setMoreOpen(event.currentTarget.open)}
        >
          <summary>{t("draw.more")}</summary>
          <SchemaForm
            key={toModelPath(model)}
            schema={model.inputSchema as JsonSchema}
            value={values}
            onValueChange={setValues}
            omit={fields.omit}
            foldOf="draw:advanced"
            renderFile={() => null}
            isDisabled={isDisabled}
          />
        </details>
      )}
    </div>
  );
}

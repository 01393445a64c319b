import { useQuery } from "@tanstack/react-query";
import type { Model, ModelRef } from "#contract/entities.ts";
import { ModelPicker } from "../../components/composer/model-picker.tsx";
import { pricesText } from "../../components/model/price-text.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { useUpdatePreferences } from "../../data/queries/settings.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import styles from "./title-model.module.css";

/** A typical first question and answer with the surrounding prompt, and a title of six words. */
const usual = { inputTokens: 600, outputTokens: 12 };

/** A title's cost per token; null if the model has no such price. */
function microsOf({ prices }: Model): number | null {
  const per = (unit: string) => prices.find((price) => price.unit === unit)?.micros;
  const [input, output] = [per("input token"), per("output token")];
  if (input === undefined || output === undefined) return null;
  return Math.ceil(Number(input) * usual.inputTokens + Number(output) * usual.outputTokens);
}

/** The model that titles a person's new conversations, with its price. */
export function TitleModel({ chosen }: { chosen: ModelRef | null }) {
  const { project } = useSession();
  const found = useQuery(modelQuery(project.id, chosen));
  const update = useUpdatePreferences();
  const onError = useErrorToast();
  const choose = (titleModel: ModelRef | null) => update.mutate({ titleModel }, { onError });
  const model = chosen && found.data;
  const micros = model ? microsOf(model) : null;
  return (
    <div className={styles.title}>
      <ModelPicker
        projectId={project.id}
        model={model ?? null}
        mustChoose={!model}
        onChoose={(choice) => choose(toModelRef(choice))}
      />
      {chosen && (
        <Button variant="ghost" onClick={() => choose(null)}>
          {t("settings.titles.remove")}
        </Button>
      )}
      <p className={styles.price}>
        {model
          ? micros
            ? t("settings.titles.price", {
                price: formatMoney(micros),
                prices: pricesText(model.prices),
              })
            : pricesText(model.prices)
          : t(chosen && found.isError ? "settings.titles.gone" : "settings.titles.none")}
      </p>
    </div>
  );
}

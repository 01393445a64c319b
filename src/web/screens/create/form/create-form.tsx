import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plug } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { tasks } from "#contract/tasks.ts";
import { SchemaForm } from "../../../components/schema-form/schema-form.tsx";
import { t } from "../../../messages/t.ts";
import { hasScreen } from "../../../screen-modules.ts";
import { buttonClass } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { Slider } from "../../../ui/slider.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { assetQuery } from "../create.queries.ts";
import type { Box } from "../crop/crop-box.ts";
import { CropField } from "../crop/crop-field.tsx";
import { ChosenModels } from "./chosen-models.tsx";
import { cropFieldOf } from "./field-facts.ts";
import { FileInput } from "./file-input.tsx";
import styles from "./form.module.css";
import { TaskSwitch } from "./task-switch.tsx";
import type { CreateForm as Form } from "./use-create-form.ts";
import type { Make } from "./use-make.ts";

/** The form's pane: task, models, the settings that the model's own schema names, and how many. */
export function CreateForm({ projectId, form, making, isDisabled }: { projectId: string; form: Form; making: Make; isDisabled: boolean }) {
  if (form.isEmpty) return <NoModels />;
  return (
    <div className={styles.form}>
      <TaskSwitch offered={form.tasks} task={form.task} onTask={form.setTask} />
      {form.catalogueError !== null && <ErrorState compact error={form.catalogueError} safe={t("create.kept")} />}
      <ChosenModels projectId={projectId} form={form} />
      {form.isReady ? <Settings form={form} making={making} isDisabled={isDisabled} /> : !form.models[0]?.error && <Loading />}
      {form.isReady && form.hasVariants && (
        <Slider
          label={t("create.variants", { many: capitalised(tasks[form.task].makes.many) })}
          value={form.variants}
          onValueChange={form.setVariants}
          min={1}
          max={limits.variantsPerForm}
          disabled={isDisabled}
        />
      )}
    </div>
  );
}

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function Settings({ form, making, isDisabled }: { form: Form; making: Make; isDisabled: boolean }) {
  const { schema, values } = form;
  if (!schema) return <FreeForm values={values} onValues={form.setValues} />;
  const picture = cropFieldOf(schema);
  return (
    <>
      <SchemaForm
        key={form.models.map(({ ref }) => ref.modelId).join()}
        schema={schema}
        value={values}
        onValueChange={form.setValues}
        errors={making.errors}
        showErrors={making.showErrors}
        renderFile={(slot) => <FileInput {...slot} />}
        isDisabled={isDisabled}
      />
      {picture && <Crop reference={values[picture]} values={values} onValues={form.setValues} />}
    </>
  );
}

/** The visual half of x, y, width and height; the numbers stay, for exactness. */
function Crop({ reference, values, onValues }: { reference: unknown; values: JsonObject; onValues: (values: JsonObject) => void }) {
  const assetId = typeof reference === "string" ? reference.replace(/^asset:/, "") : "";
  const { data } = useQuery({ ...assetQuery(assetId), enabled: assetId !== "" });
  const asset: Asset | undefined = data?.asset;
  if (!asset?.width || !asset.height) return null;
  const { width, height } = asset;
  return (
    <CropField
      asset={{ ...asset, width, height }}
      box={boxOf(values, { width, height })}
      onBoxChange={(box) => onValues({ ...values, ...box })}
    />
  );
}

function boxOf({ x, y, width, height }: JsonObject, whole: { width: number; height: number }): Box | null {
  const number = (value: unknown, otherwise: number) => (typeof value === "number" && Number.isFinite(value) ? value : otherwise);
  return { x: number(x, 0), y: number(y, 0), width: number(width, whole.width), height: number(height, whole.height) };
}

/** A model without a schema: its input as JSON. */
function FreeForm({ values, onValues }: { values: JsonObject; onValues: (values: JsonObject) => void }) {
  const prompt = typeof values.prompt === "string" ? values.prompt : "";
  return (
    <TextArea
      label={t("create.prompt")}
      hint={t("create.noSchema")}
      value={prompt}
      onValueChange={(next) => onValues({ ...values, prompt: next })}
    />
  );
}

function Loading() {
  return (
    <div className={styles.loading} role="status" aria-busy aria-label={t("ui.loading")}>
      <Skeleton width="30%" />
      <Skeleton height={110} radius={7} />
      <Skeleton width="20%" />
      <Skeleton height={34} radius={7} />
      <Skeleton width="26%" />
      <Skeleton height={34} radius={7} />
    </div>
  );
}

function NoModels() {
  const action = hasScreen("settings") && (
    <Link to="/settings/$section" params={{ section: "connections" }} className={buttonClass({ variant: "primary" })}>
      <Plug aria-hidden size={16} />
      {t("models.empty.action")}
    </Link>
  );
  return (
    <EmptyState icon={Plug} title={t("create.noModels")} action={action}>
      {t("create.noModels.text")}
    </EmptyState>
  );
}

import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { cropFieldOf, isSide, onlyFields } from "../../../components/schema-form/field-facts.ts";
import type { FileSlot } from "../../../components/schema-form/form-context.ts";
import { SchemaForm, type SchemaFormProps } from "../../../components/schema-form/schema-form.tsx";
import type { FormErrors } from "../../../components/schema-form/validate-form.ts";
import { toModelPath } from "../../../data/model-ref.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { Slider } from "../../../ui/controls/slider.tsx";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { firstPart, lazyPart } from "../../../ui/lazy-part.ts";
import { Part, usePreload } from "../../../ui/part.tsx";
import { useWidth } from "../../../ui/use-width.ts";
import { OpenEditor } from "../crop/open-editor.tsx";
import { NoModels } from "../lazy-no-models.ts";
import { PromptHelp } from "../prompt-help/prompt-help.tsx";
import { ChosenModels } from "./chosen-models.tsx";
import { ownPlacementOf, placementOf } from "./field-placement.ts";
import styles from "./form.module.css";
import { TaskSwitch } from "./task-switch.tsx";
import { TemplateWords, usePreloadTemplate } from "./template-words.tsx";
import type { CreateForm as Form, OwnSettings } from "./use-create-form.ts";
import type { Make } from "./use-make.ts";

// Loaded only for models that take a file, and for the few that crop it.
const FileInput = lazyPart(() => import("./file-input.tsx").then(({ FileInput }) => FileInput));
const Crop = lazyPart(() => import("../crop/crop.tsx").then(({ Crop }) => Crop));

const loadRecipeNote = () =>
  import("./loaded-recipe-note.tsx").then(({ LoadedRecipeNote }) => LoadedRecipeNote);
const LoadedRecipeNote = firstPart(loadRecipeNote);

/** The form: task, models, the model's settings, and the number of variants. */
export function CreateForm({
  projectId,
  form,
  making,
  onTask,
  onRestore,
  isDisabled,
}: {
  projectId: string;
  form: Form;
  making: Make;
  onTask: (task: Task) => void;
  /** Restores the values that a recipe replaced. */
  onRestore: () => void;
  isDisabled: boolean;
}) {
  usePreloadTemplate(form);
  usePreload(loadRecipeNote);
  if (form.isEmpty)
    return (
      <Part>
        <NoModels title={t("create.noModels")} text={t("create.noModels.text")} />
      </Part>
    );
  if (form.catalogueError !== null && form.models.length === 0) {
    return (
      <div className={styles.form}>
        <ErrorState
          compact
          error={form.catalogueError}
          safe={t("create.draftKept")}
          onRetry={form.retry}
        />
      </div>
    );
  }
  if (form.models.length === 0 && form.tasks.length === 0) return <Loading isWhole />;
  return (
    <div className={styles.form}>
      {form.recipeTitle !== null && (
        <Part>
          <LoadedRecipeNote form={form} onRestore={onRestore} />
        </Part>
      )}
      {form.tasks.length === 0 && !form.isEmpty && form.catalogueError === null ? (
        <Skeleton height={36} />
      ) : (
        <TaskSwitch offered={form.tasks} task={form.task} onTask={onTask} />
      )}
      <ChosenModels projectId={projectId} form={form} />
      {form.isReady ? (
        <Settings projectId={projectId} form={form} making={making} isDisabled={isDisabled} />
      ) : (
        !form.models[0]?.error && <Loading />
      )}
    </div>
  );
}

function Variants({ form, isDisabled }: { form: Form; isDisabled: boolean }) {
  if (!form.hasVariants) return null;
  return (
    <Slider
      label={t("create.variants", { many: capitalised(tasks[form.task].makes.many) })}
      value={form.variants}
      onValueChange={form.setVariants}
      min={1}
      max={limits.variantsPerForm}
      disabled={isDisabled}
    />
  );
}

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

type SettingsProps = { projectId: string; form: Form; making: Make; isDisabled: boolean };

function Settings({ projectId, form, making, isDisabled }: SettingsProps) {
  const { schema, values } = form;
  // Pinned fields would leave little room on a phone.
  const isPhone = useWidth() === "phone";
  const variants = <Variants form={form} isDisabled={isDisabled} />;
  if (!schema)
    return (
      <>
        <FreeForm values={values} onValues={form.setValues} />
        <TemplateWords form={form} projectId={projectId} />
        {variants}
      </>
    );
  const picture = cropFieldOf(schema);
  const adjusted = adjustedIn(form);
  const promptHelp = !isDisabled && "prompt" in propertiesOf(schema) && (
    <PromptHelp form={form} projectId={projectId} />
  );
  const change = (next: JsonObject) => {
    // The server's errors refer to the previous values.
    if (Object.keys(making.errors).length > 0) making.setErrors({});
    form.setValues(next);
  };
  const shared = {
    value: values,
    onValueChange: change,
    errors: making.errors,
    showErrors: making.showErrors,
    foldOf: "create",
    renderFile: (slot: FileSlot) => (
      <Part fallback={<FilePlace isEmpty={slot.value.length === 0} />}>
        <FileInput {...slot} />
      </Part>
    ),
    isDisabled,
  };
  const key = form.models.map(({ ref }) => ref.modelId).join();
  if (!picture)
    return (
      <SchemaForm
        key={key}
        {...shared}
        errors={form.own.length > 0 ? errorsIn(schema, making.errors) : making.errors}
        schema={schema}
        placeOf={placementOf(schema)}
        renderBelow={(name) =>
          name === "prompt" && (
            <>
              {!isPhone && promptHelp}
              <TemplateWords form={form} projectId={projectId} />
            </>
          )
        }
        beforeFolded={
          <>
            {isPhone && promptHelp}
            {adjusted && <OpenEditor assetId={adjusted} />}
            {variants}
          </>
        }
        afterFolded={form.own.map((one) => (
          <OwnForm key={toModelPath(one.ref)} own={one} form={form} shared={shared} />
        ))}
      />
    );
  return (
    <>
      <SchemaForm
        key={key}
        {...shared}
        schema={onlyFields(schema, (name) => !isSide(name))}
        beforeFolded={variants}
      />
      <Part>
        <Crop reference={values[picture]} values={values} onValues={change}>
          <SchemaForm {...shared} schema={onlyFields(schema, isSide)} foldOf="create:sides" />
        </Crop>
      </Part>
    </>
  );
}

/** The picture of a form whose tool the editor offers as well. */
function adjustedIn({ models: [first], values }: Form): string | null {
  const isTool = first?.model?.connectionKind === "builtin" && first.ref.modelId === "edit/adjust";
  return isTool && typeof values.image === "string" ? values.image.replace(/^asset:/, "") : null;
}

/** The errors of these fields. */
const errorsIn = (schema: JsonSchema, errors: FormErrors = {}): FormErrors =>
  Object.fromEntries(
    Object.entries(errors).filter(([path]) => path.split(".")[0]! in propertiesOf(schema)),
  );

type OwnFormProps = {
  own: OwnSettings;
  form: Form;
  shared: Omit<SchemaFormProps, "schema" | "value" | "onValueChange">;
};

/** One model's settings beyond the shared fields, under its name. */
function OwnForm({ own: { ref, name, schema, values }, form, shared }: OwnFormProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend can't be the line that folds it
    <div role="group" aria-label={t("create.own", { name })}>
      <SchemaForm
        {...shared}
        errors={errorsIn(schema, shared.errors)}
        schema={schema}
        value={values}
        onValueChange={(next) => form.setOwn(ref, next)}
        placeOf={ownPlacementOf}
        foldedTitle={name}
        foldOf={`create:${toModelPath(ref)}`}
      />
    </div>
  );
}

/** A file input's placeholder. */
function FilePlace({ isEmpty }: { isEmpty: boolean }) {
  return (
    <span role="status" aria-busy aria-label={t("ui.loading")}>
      <Skeleton width={isEmpty ? "100%" : 64} height={isEmpty ? 56 : 64} radius={5} />
    </span>
  );
}

/** A model without a schema: its input as JSON. */
function FreeForm({
  values,
  onValues,
}: {
  values: JsonObject;
  onValues: (values: JsonObject) => void;
}) {
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

/** Skeleton of the form; `isWhole` includes the task and the model. */
function Loading({ isWhole = false }: { isWhole?: boolean }) {
  return (
    <div
      className={classes(styles.loading, isWhole && styles.form)}
      role="status"
      aria-busy
      aria-label={t("ui.loading")}
    >
      {isWhole && (
        <>
          <Skeleton height={34} radius={7} />
          <Skeleton height={50} radius={9} />
        </>
      )}
      <Skeleton width="30%" />
      <Skeleton height={110} radius={7} />
      <Skeleton width="20%" />
      <Skeleton height={34} radius={7} />
      <Skeleton width="26%" />
      <Skeleton height={34} radius={7} />
    </div>
  );
}

import { ChevronRight } from "lucide-react";
import { Fragment, type ReactNode, useDeferredValue, useMemo, useState } from "react";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { useStored } from "../../data/saved/use-stored.ts";
import { t } from "../../messages/t.ts";
import { changedFieldsText } from "./changed-text.ts";
import { ControlView, FieldView } from "./field-view.tsx";
import { type FileSlot, FormProvider, type FormSettings } from "./form-context.ts";
import type { FormField } from "./form-model.ts";
import { withKey } from "./object-values.ts";
import { readForm } from "./read-form.ts";
import styles from "./schema-form.module.css";
import type { FormErrors } from "./validate-form.ts";
import { useValidation } from "./validation.ts";

export type SchemaFormProps = {
  /** The model's JSON Schema, of an object. */
  schema: JsonSchema;
  /** Only the values that were set; the model chooses the others. */
  value: JsonObject;
  onValueChange: (value: JsonObject) => void;
  /** The server's errors, by path; they take precedence over those found here. */
  errors?: FormErrors;
  /** Show every error, not only those of touched fields: after an attempt to send. */
  showErrors?: boolean;
  /** Renders a file input. */
  renderFile: (slot: FileSlot) => ReactNode;
  /** Properties that the caller handles elsewhere. */
  omit?: readonly string[];
  isDisabled?: boolean;
  /** Each field's place. If left out, a long form folds its rarer fields. */
  placeOf?: (field: FormField) => FieldPlacement;
  /** Renders content below a field. */
  renderBelow?: (name: string) => ReactNode;
  /** The title of the folded fields. */
  foldedTitle?: string;
  /** The name under which the fold's state is saved, across models and reloads. */
  foldOf: string;
  /** Shown above the folded fields. */
  beforeFolded?: ReactNode;
  afterFolded?: ReactNode;
};

/**
 * Pinned fields stay visible while the others scroll. Folded fields are behind a line that lists
 * the changed values.
 */
export type FieldPlacement = "pinned" | "open" | "folded";

const noErrors: FormErrors = {};

/**
 * A form built from a model's JSON Schema; values without a form are edited as JSON. The caller
 * checks the values with `validateForm(schema, value)` before sending.
 */
export function SchemaForm({
  schema,
  value,
  onValueChange,
  errors = noErrors,
  showErrors = false,
  renderFile,
  omit,
  isDisabled = false,
  placeOf,
  renderBelow,
  foldedTitle,
  foldOf,
  beforeFolded,
  afterFolded,
}: SchemaFormProps) {
  const omitted = omit?.join("\n") ?? "";
  const { main, advanced } = useMemo(
    () => readForm(schema, omitted.split("\n")),
    [schema, omitted],
  );
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const checked = useDeferredValue(value);
  const { validate } = useValidation(showErrors || touched.size > 0);
  const found = useMemo(() => validate?.(schema, checked) ?? noErrors, [validate, schema, checked]);
  const shown = {
    ...Object.fromEntries(
      Object.entries(found).filter(([path]) => showErrors || touched.has(path)),
    ),
    ...errors,
  };
  const settings: FormSettings = {
    errors: shown,
    isDisabled,
    renderFile,
    renderControl: (props) => <ControlView {...props} />,
    onTouch: (path) =>
      setTouched((before) => (before.has(path) ? before : new Set(before).add(path))),
  };
  const view = (field: FormField) => (
    <Fragment key={field.name}>
      <FieldView
        path={field.name}
        field={field}
        value={value[field.name]}
        onChange={(next) => onValueChange(withKey(value, field.name, next))}
      />
      {renderBelow?.(field.name)}
    </Fragment>
  );
  const isHere = (path: string) =>
    [...main, ...advanced].some(({ name }) => path === name || path.startsWith(`${name}.`));
  const lost = Object.entries(shown).filter(([path]) => !isHere(path));
  const at = (place: FieldPlacement): readonly FormField[] =>
    placeOf
      ? [...main, ...advanced].filter((field) => placeOf(field) === place)
      : { pinned: [], open: main, folded: advanced }[place];
  const [pinned, open, folded] = [at("pinned"), at("open"), at("folded")];
  const hasFoldedError = folded.some(({ name }) =>
    Object.keys(shown).some((path) => path === name || path.startsWith(`${name}.`)),
  );
  return (
    <FormProvider value={settings}>
      <div className={styles.form}>
        {pinned.length > 0 && <div className={styles.pinned}>{pinned.map(view)}</div>}
        {open.map(view)}
        {beforeFolded}
        {folded.length > 0 && (
          <Folded
            of={foldOf}
            title={foldedTitle ?? (placeOf ? t("form.settings") : t("form.advanced"))}
            words={
              (placeOf && changedFieldsText(folded, value)) ||
              (placeOf && folded.every(({ isRequired }) => !isRequired)
                ? t("form.settings.defaults")
                : t("form.advanced.count", { count: folded.length }))
            }
            hasError={hasFoldedError}
          >
            {folded.map(view)}
          </Folded>
        )}
        {afterFolded}
        {lost.map(([path, text]) => (
          <p key={path} role="alert" className={styles.lost}>
            {path ? `${path}: ${text}` : text}
          </p>
        ))}
      </div>
    </FormProvider>
  );
}

type FoldedProps = {
  of: string;
  title: string;
  words: string;
  hasError: boolean;
  children: ReactNode;
};

/** Fields behind one line, which opens automatically if one of them has an error. */
function Folded({ of, title, words, hasError, children }: FoldedProps) {
  const [wasLeftOpen, leave] = useStored(`form:${of}`, false);
  const [isOpen, setOpen] = useState(wasLeftOpen);
  return (
    <details
      className={styles.advanced}
      open={isOpen || hasError}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open);
        // The error opened the fold, not the person.
        if (!hasError) leave(open);
      }}
    >
      <summary>
        <ChevronRight aria-hidden />
        {title}
        <span className={styles.count} title={words}>
          {words}
        </span>
      </summary>
      <div className={styles.form}>{children}</div>
    </details>
  );
}

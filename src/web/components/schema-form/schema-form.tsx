import { ChevronRight } from "lucide-react";
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { t } from "../../messages/t.ts";
import { ControlView, FieldView } from "./field-view.tsx";
import { type FileSlot, FormProvider, type FormSettings } from "./form-context.ts";
import type { FormField } from "./form-model.ts";
import { withKey } from "./object-values.ts";
import { readForm } from "./read-form.ts";
import styles from "./schema-form.module.css";
import type { FormErrors } from "./validate-form.ts";
import { useValidation } from "./validation.ts";

export type SchemaFormProps = {
  /** The model's JSON Schema of an object. */
  schema: JsonSchema;
  /** Only what was set: what is left out is the model's choice. */
  value: JsonObject;
  onValueChange: (value: JsonObject) => void;
  /** What the server said, by path; told before what is found here. */
  errors?: FormErrors;
  /** Tell of every fault, not only of fields that were touched: after a try to send. */
  showErrors?: boolean;
  /** Draws a file input. */
  renderFile: (slot: FileSlot) => ReactNode;
  /** Properties that are asked for elsewhere. */
  omit?: readonly string[];
  isDisabled?: boolean;
};

const noErrors: FormErrors = {};

/**
 * A form made from a model's own JSON Schema; what has no form of its own is written as JSON. `validateForm(schema, value)` tells
 * the caller whether it may be sent.
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
    <FieldView
      key={field.name}
      path={field.name}
      field={field}
      value={value[field.name]}
      onChange={(next) => onValueChange(withKey(value, field.name, next))}
    />
  );
  const isHere = (path: string) =>
    [...main, ...advanced].some(({ name }) => path === name || path.startsWith(`${name}.`));
  const lost = Object.entries(shown).filter(([path]) => !isHere(path));
  const hasFoldedError = advanced.some(({ name }) =>
    Object.keys(shown).some((path) => path === name || path.startsWith(`${name}.`)),
  );
  return (
    <FormProvider value={settings}>
      <div className={styles.form}>
        {main.map(view)}
        {advanced.length > 0 && <Advanced fields={advanced.map(view)} hasError={hasFoldedError} />}
        {lost.map(([path, text]) => (
          <p key={path} role="alert" className={styles.lost}>
            {path ? `${path}: ${text}` : text}
          </p>
        ))}
      </div>
    </FormProvider>
  );
}

/** The rarer settings, folded; opened by themselves when something in them is wrong. */
function Advanced({ fields, hasError }: { fields: ReactNode[]; hasError: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={styles.advanced}
      open={isOpen || hasError}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <ChevronRight aria-hidden />
        {t("form.advanced")}
        <span className={styles.count}>{t("form.advanced.count", { count: fields.length })}</span>
      </summary>
      <div className={styles.form}>{fields}</div>
    </details>
  );
}

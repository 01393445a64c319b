import { useId } from "react";
import type { Json } from "#contract/json.ts";
import { t } from "../../messages/t.ts";
import { Chip } from "../../ui/controls/chip.tsx";
import { Field } from "../../ui/controls/field.tsx";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { Select } from "../../ui/controls/select.tsx";
import type { ControlProps } from "./control-props.ts";
import { useForm } from "./form-context.ts";
import type { ChoiceOption } from "./form-model.ts";
import { fitsSegments } from "./read-control.ts";
import styles from "./schema-form.module.css";

/** Values may be numbers or booleans, but controls compare strings. */
const keyOf = (value: Json): string => JSON.stringify(value);
/** The key that leaves the value to the model. */
const none = "";

export function ChoiceControl({
  control,
  value,
  fallback,
  onChange,
  shared,
}: ControlProps<"choice">) {
  const { isDisabled } = useForm();
  const { options, look } = control;
  const shown = value ?? fallback;
  const chosen = shown === undefined || shown === null ? none : keyOf(shown);
  const keyed = options.map((option) => ({
    value: keyOf(option.value),
    label: option.label,
    disabled: isDisabled,
  }));
  const choose = (key: string) =>
    onChange(
      key === none ? undefined : options.find((option) => keyOf(option.value) === key)?.value,
    );
  const canBeNone = !shared.required && (fallback === undefined || fallback === null);
  const all = canBeNone
    ? [{ value: none, label: t("form.none"), disabled: isDisabled }, ...keyed]
    : keyed;
  if (look === "segmented" && fitsSegments(all)) {
    return (
      <Field {...shared} isGroup>
        {() => (
          <Segmented label={shared.label} value={chosen} onValueChange={choose} options={all} />
        )}
      </Field>
    );
  }
  if (look === "shapes") {
    return (
      <Field {...shared} isGroup>
        {() => <Shapes label={shared.label} options={options} chosen={chosen} onChoose={choose} />}
      </Field>
    );
  }
  return (
    <Field {...shared}>
      {({ required: _, ...field }) => (
        <Select
          control={field}
          value={chosen}
          onValueChange={choose}
          options={all}
          disabled={isDisabled}
          placeholder={t("form.none")}
        />
      )}
    </Field>
  );
}

const framePx = 24;

/** Aspect ratios to choose from, each drawn. */
export function Shapes({
  label,
  options,
  chosen,
  onChoose,
}: {
  label: string;
  options: readonly ChoiceOption[];
  chosen: string;
  onChoose: (key: string) => void;
}) {
  const { isDisabled } = useForm();
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={styles.shapes}>
      {options.map(({ value, label: text, ratio }) => (
        <label key={keyOf(value)} className={styles.shape}>
          <input
            type="radio"
            name={name}
            checked={chosen === keyOf(value)}
            disabled={isDisabled}
            onChange={() => onChoose(keyOf(value))}
          />
          {ratio !== undefined && <span className={styles.frame} style={frameSize(ratio)} />}
          <span className={styles.shapeText}>{text}</span>
        </label>
      ))}
    </div>
  );
}

const frameSize = (ratio: number) =>
  ratio >= 1
    ? { width: framePx, height: framePx / Math.min(ratio, 4) }
    : { width: framePx * Math.max(ratio, 0.25), height: framePx };

/** Any subset of a few values. */
export function ChecksControl({
  control,
  value,
  fallback,
  onChange,
  shared,
}: ControlProps<"checks">) {
  const { isDisabled } = useForm();
  const given = Array.isArray(value) ? value : Array.isArray(fallback) ? fallback : [];
  const chosen = new Set(given.map(keyOf));
  const toggle = (option: Json) => {
    const key = keyOf(option);
    const next = control.options
      .map((each) => each.value)
      .filter((each) => (keyOf(each) === key ? !chosen.has(key) : chosen.has(keyOf(each))));
    onChange(next);
  };
  return (
    <Field {...shared} isGroup>
      {() => (
        <div className={styles.checks}>
          {control.options.map((option) => (
            <Chip
              key={keyOf(option.value)}
              selected={chosen.has(keyOf(option.value))}
              disabled={isDisabled}
              onClick={() => toggle(option.value)}
            >
              {option.label}
            </Chip>
          ))}
        </div>
      )}
    </Field>
  );
}

import { type ReactNode, useState } from "react";
import { t } from "../../messages/t.ts";
import { Field } from "./field.tsx";
import styles from "./slider.module.css";

export type SliderProps = {
  label: string;
  hint?: ReactNode;
  error?: string | null;
  value: number;
  onValueChange: (value: number) => void;
  min: number;
  max: number;
  step?: number;
  disabled?: boolean;
};

/** A number within bounds, set by dragging, with the arrow keys, or by typing at the right. */
export function Slider({
  label,
  hint,
  error,
  value,
  onValueChange,
  min,
  max,
  step = 1,
  disabled,
}: SliderProps) {
  const fill = max > min ? ((value - min) / (max - min)) * 100 : 0;
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      aside={
        <TypedNumber
          label={t("ui.slider.typed", { label })}
          {...{ value, onValueChange, min, max, step, disabled }}
        />
      }
    >
      {({ required: _, ...control }) => (
        <input
          {...control}
          type="range"
          className={styles.slider}
          style={{ "--fill": `${fill}%` } as React.CSSProperties}
          {...{ value, min, max, step, disabled }}
          onChange={(event) => onValueChange(event.target.valueAsNumber)}
        />
      )}
    </Field>
  );
}

/** The nearest value that the slider can take. */
function nearestStep(
  number: number,
  { min, max, step = 1 }: Pick<SliderProps, "min" | "max" | "step">,
): number {
  const steps = Math.min(Math.round((number - min) / step), Math.floor((max - min) / step + 1e-9));
  // Shows 0.1 + 0.2 as 0.3.
  return Number((min + Math.max(0, steps) * step).toPrecision(12));
}

function TypedNumber({
  label,
  value,
  onValueChange,
  min,
  max,
  step,
  disabled,
}: Omit<SliderProps, "hint" | "error">) {
  /** An incomplete number: "1" of "12" stays as typed even if the minimum is 5. */
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <input
      type="number"
      aria-label={label}
      className={styles.number}
      value={draft ?? value}
      {...{ min, max, step, disabled }}
      onChange={({ target }) => {
        setDraft(target.value);
        if (Number.isFinite(target.valueAsNumber))
          onValueChange(nearestStep(target.valueAsNumber, { min, max, step }));
      }}
      onBlur={() => setDraft(null)}
      onKeyDown={(event) => {
        if (event.key === "Enter") setDraft(null);
      }}
    />
  );
}

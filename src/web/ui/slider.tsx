import { type ReactNode, useState } from "react";
import { t } from "../messages/t.ts";
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

/** A number within bounds: dragged, stepped with the arrow keys, or typed at the right. */
export function Slider({ label, hint, error, value, onValueChange, min, max, step = 1, disabled }: SliderProps) {
  const fill = max > min ? ((value - min) / (max - min)) * 100 : 0;
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      aside={<TypedNumber label={t("ui.slider.typed", { label })} {...{ value, onValueChange, min, max, step, disabled }} />}
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

function TypedNumber({ label, value, onValueChange, min, max, step, disabled }: Omit<SliderProps, "hint" | "error">) {
  const [draft, setDraft] = useState<string | null>(null);
  const commit = () => {
    const number = Number(draft);
    if (draft !== null && draft !== "" && Number.isFinite(number)) onValueChange(Math.min(max, Math.max(min, number)));
    setDraft(null);
  };
  return (
    <input
      type="number"
      aria-label={label}
      className={styles.number}
      value={draft ?? value}
      {...{ min, max, step, disabled }}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
      }}
    />
  );
}

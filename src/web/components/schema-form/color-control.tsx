import { useState } from "react";
import type { Json } from "#contract/json.ts";
import fieldStyles from "../../ui/controls/field.module.css";
import { Field } from "../../ui/controls/field.tsx";
import type { ControlProps } from "./control-props.ts";
import { useForm } from "./form-context.ts";
import styles from "./schema-form.module.css";

const black = "#000000";

/** "#rrggbb" from three numbers between 0 and 255; a string stays unchanged. */
export function toHex(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
  const part = (name: string) => {
    const number = Number(value[name] ?? 0);
    return Math.min(255, Math.max(0, Math.round(number) || 0))
      .toString(16)
      .padStart(2, "0");
  };
  return `#${part("r")}${part("g")}${part("b")}`;
}

/** Parses "#rrggbb" to three numbers; null if it is malformed. */
export function fromHex(hex: string): { r: number; g: number; b: number } | null {
  const found = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex.trim());
  if (!found) return null;
  const [r = 0, g = 0, b = 0] = found.slice(1).map((part) => Number.parseInt(part, 16));
  return { r, g, b };
}

export function ColorControl({
  control,
  value,
  fallback,
  onChange,
  shared,
}: ControlProps<"color">) {
  const { isDisabled } = useForm();
  const [draft, setDraft] = useState<{ text: string; of: string } | null>(null);
  const hex = toHex(value ?? fallback);
  const change = (text: string) => {
    const parts = fromHex(text);
    // An incomplete color stays in the field, because three numbers can't represent it.
    setDraft({ text, of: control.shape === "hex" ? text : parts ? toHex(parts) : hex });
    if (text === "" && !shared.required) onChange(undefined);
    else if (control.shape === "hex") onChange(text);
    else if (parts) onChange(parts);
  };
  return (
    <Field {...shared}>
      {(field) => (
        <div className={styles.color}>
          <input
            type="color"
            className={styles.swatch}
            aria-label={shared.label}
            value={fromHex(hex) ? hex : black}
            disabled={isDisabled}
            onChange={(event) => change(event.target.value)}
          />
          <input
            {...field}
            className={fieldStyles.control}
            value={draft && draft.of === hex ? draft.text : hex}
            disabled={isDisabled}
            onChange={(event) => change(event.target.value)}
          />
        </div>
      )}
    </Field>
  );
}

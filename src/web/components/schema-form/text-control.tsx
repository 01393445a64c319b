import { Dices } from "lucide-react";
import { useState } from "react";
import type { Json } from "#contract/json.ts";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Slider } from "../../ui/controls/slider.tsx";
import { TextArea } from "../../ui/controls/text-area.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import type { ControlProps } from "./control-props.ts";
import { useForm } from "./form-context.ts";
import type { Control } from "./form-model.ts";

const textOf = (value: Json | undefined) => (typeof value === "string" ? value : "");

export function TextControl({ control, value, fallback, onChange, shared }: ControlProps<"text">) {
  const { isDisabled } = useForm();
  const field = {
    ...shared,
    value: textOf(value),
    disabled: isDisabled,
    placeholder: textOf(fallback ?? undefined) || control.example,
  };
  // An empty text is removed, so that the model's default applies; a required one stays and is
  // reported.
  const change = (text: string) => onChange(text === "" && !shared.required ? undefined : text);
  return control.isLong ? (
    <TextArea {...field} minRows={4} onValueChange={change} />
  ) : (
    <TextField {...field} onValueChange={change} />
  );
}

export function NumberControl({
  control,
  value,
  fallback,
  onChange,
  shared,
}: ControlProps<"number">) {
  const { isDisabled } = useForm();
  const { min, max, step, isSlider } = control;
  const shown =
    typeof value === "number" ? value : typeof fallback === "number" ? fallback : undefined;
  if (isSlider && shown !== undefined && min !== undefined && max !== undefined) {
    const { required: _, aside: _aside, ...words } = shared;
    return (
      <Slider
        {...words}
        value={shown}
        onValueChange={onChange}
        {...{ min, max, step }}
        disabled={isDisabled}
      />
    );
  }
  return (
    <NumberField
      control={control}
      value={value}
      fallback={fallback}
      onChange={onChange}
      shared={shared}
    />
  );
}

/** A number field that accepts partial input: "-" and "1." aren't errors yet. */
function NumberField({
  control,
  value,
  fallback,
  onChange,
  shared,
}: Omit<ControlProps<"number">, "path">) {
  const { isDisabled } = useForm();
  const [draft, setDraft] = useState<{ text: string; of: Json | undefined } | null>(null);
  const text =
    draft && draft.of === value ? draft.text : typeof value === "number" ? String(value) : "";
  const change = (typed: string) => {
    const number = Number(typed.replace(",", "."));
    const next = typed.trim() === "" ? undefined : Number.isFinite(number) ? number : typed;
    setDraft({ text: typed, of: next });
    onChange(next);
  };
  return (
    <TextField
      {...shared}
      inputMode={control.isInteger ? "numeric" : "decimal"}
      value={text}
      placeholder={fallback === undefined || fallback === null ? t("form.none") : String(fallback)}
      disabled={isDisabled}
      onValueChange={change}
    />
  );
}

/**
 * The upper bound for random seeds, unless the schema has one; every sampler accepts seeds below
 * it.
 */
const seedsBelow = 2 ** 31;

/** A number field with a "random" button. */
export function SeedControl({ control, value, onChange, shared }: ControlProps<"seed">) {
  const { isDisabled } = useForm();
  const { min = 0, max = seedsBelow - 1 } = control;
  const draw = () => {
    const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
    onChange(min + (random % (Math.min(max, seedsBelow - 1) - min + 1)));
  };
  const asNumber: Extract<Control, { kind: "number" }> = {
    kind: "number",
    isInteger: true,
    isSlider: false,
  };
  return (
    <NumberField
      control={asNumber}
      value={value}
      fallback={t("form.random").toLowerCase()}
      onChange={onChange}
      shared={{
        ...shared,
        end: (
          <IconButton
            variant="bordered"
            icon={Dices}
            label={t("form.randomise")}
            disabled={isDisabled}
            onClick={draw}
          />
        ),
      }}
    />
  );
}

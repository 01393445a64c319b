import type { Json } from "#contract/json.ts";
import { presetSizes } from "#domain/files/image-sizes.ts";
import { t } from "../../messages/t.ts";
import { Field } from "../../ui/controls/field.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { Shapes } from "./choice-control.tsx";
import type { ControlProps } from "./control-props.ts";
import { useForm } from "./form-context.ts";
import type { Bounds, ChoiceOption } from "./form-model.ts";
import styles from "./schema-form.module.css";

type Size = { width: number; height: number };
const startSize: Size = { width: 1024, height: 1024 };
const custom = "custom";

const isSize = (value: Json | undefined): value is Size =>
  typeof value === "object" && value !== null && "width" in value && "height" in value;

/** Named sizes as shapes, and "custom" with its two sides. */
export function SizeControl({
  path,
  control,
  value,
  fallback,
  onChange,
  shared,
}: ControlProps<"size">) {
  const { errors } = useForm();
  const shown = value ?? fallback;
  const size = isSize(shown) ? shown : null;
  const preset = typeof shown === "string" ? presetSizes.get(shown) : undefined;
  const pixels = size ? ([size.width, size.height] as const) : preset;
  const options: ChoiceOption[] = [...control.presets, { value: custom, label: t("form.custom") }];
  const choose = (key: string) => {
    const chosen: unknown = JSON.parse(key);
    if (chosen !== custom)
      return onChange(control.presets.find((option) => option.value === chosen)?.value);
    // The named size becomes the initial custom size.
    onChange(size ?? (preset ? { width: preset[0], height: preset[1] } : startSize));
  };
  return (
    <Field {...shared} isGroup aside={pixels && `${pixels[0]} × ${pixels[1]}`}>
      {() => (
        <>
          <Shapes
            label={shared.label}
            options={options}
            chosen={JSON.stringify(size ? custom : (shown ?? null))}
            onChoose={choose}
          />
          {size && (
            <div className={styles.sides}>
              <Side
                label={t("form.width")}
                value={size.width}
                bounds={control.width}
                error={errors[`${path}.width`]}
                onChange={(width) => onChange({ ...size, width })}
              />
              <Side
                label={t("form.height")}
                value={size.height}
                bounds={control.height}
                error={errors[`${path}.height`]}
                onChange={(height) => onChange({ ...size, height })}
              />
            </div>
          )}
        </>
      )}
    </Field>
  );
}

type SideProps = {
  label: string;
  value: number;
  bounds: Bounds;
  error?: string;
  onChange: (value: number) => void;
};

function Side({ label, value, bounds, error, onChange }: SideProps) {
  const { isDisabled } = useForm();
  return (
    <TextField
      label={label}
      type="number"
      {...bounds}
      value={String(value)}
      error={error}
      disabled={isDisabled}
      onValueChange={(text) => onChange(Math.round(Number(text)) || 0)}
    />
  );
}

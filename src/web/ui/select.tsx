import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronDown, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import fieldStyles from "./field.module.css";
import { Field, type FieldControl, type FieldProps } from "./field.tsx";
import styles from "./popups.module.css";

export type SelectOption<Value extends string> = { value: Value; label: string; detail?: ReactNode; icon?: LucideIcon; disabled?: boolean };

export type SelectProps<Value extends string> = {
  value: Value | null;
  onValueChange: (value: Value) => void;
  options: readonly SelectOption<Value>[];
  placeholder?: string;
  disabled?: boolean;
  className?: string;
} & ({ "aria-label": string; control?: undefined } | { control: FieldControl; "aria-label"?: undefined });

/** One of many, in a list that opens. Its code weighs 38 KB gzip: import it in screens, not in the shell. */
export function Select<Value extends string>({
  value,
  onValueChange,
  options,
  placeholder,
  disabled,
  className,
  control,
  ...named
}: SelectProps<Value>) {
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => {
        if (next !== null) onValueChange(next);
      }}
      items={options.map(({ value: option, label }) => ({ value: option, label }))}
      disabled={disabled}
      modal={false}
    >
      <Base.Trigger {...control} {...named} className={classes(fieldStyles.control, styles.select, className)}>
        <Base.Value className={styles.selectValue} placeholder={placeholder} />
        <Base.Icon className={styles.chevron}>
          <ChevronDown aria-hidden />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={styles.positioner} sideOffset={5} align="start" alignItemWithTrigger={false}>
          <Base.Popup className={classes(styles.popup, styles.selectPopup)}>
            <Base.List>
              {options.map(({ value: option, label, detail, icon: Icon, disabled: isOff }) => (
                <Base.Item key={option} value={option} disabled={isOff} className={styles.item}>
                  <span className={styles.check}>
                    <Base.ItemIndicator>
                      <Check aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  {Icon && <Icon aria-hidden />}
                  <span className={styles.itemWords}>
                    <Base.ItemText>{label}</Base.ItemText>
                    {detail && <span className={styles.itemDetail}>{detail}</span>}
                  </span>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export type SelectFieldProps<Value extends string> = Omit<FieldProps, "children" | "isGroup"> &
  Pick<SelectProps<Value>, "value" | "onValueChange" | "options" | "placeholder" | "disabled">;

export function SelectField<Value extends string>({
  label,
  hint,
  error,
  aside,
  required,
  isLabelHidden,
  ...select
}: SelectFieldProps<Value>) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside} required={required} isLabelHidden={isLabelHidden}>
      {(control) => <Select {...select} control={control} />}
    </Field>
  );
}

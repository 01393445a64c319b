import { Search, X } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { limits } from "#contract/limits.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../classes.ts";
import styles from "./field.module.css";
import { Field, type FieldProps } from "./field.tsx";
import { IconButton } from "./icon-button.tsx";

type InputProps = Omit<ComponentProps<"input">, "value" | "onChange" | "required">;

export type TextFieldProps = InputProps &
  Omit<FieldProps, "children" | "isGroup"> & {
    value: string;
    onValueChange: (value: string) => void;
    /** A button next to the input. */
    end?: ReactNode;
  };

export function TextField({
  label,
  hint,
  error,
  aside,
  required,
  isLabelHidden,
  value,
  onValueChange,
  end,
  className,
  ...rest
}: TextFieldProps) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      aside={aside}
      required={required}
      isLabelHidden={isLabelHidden}
    >
      {(control) => {
        const input = (
          <input
            {...rest}
            {...control}
            className={classes(styles.control, className)}
            value={value}
            onChange={(event) => onValueChange(event.target.value)}
          />
        );
        return end ? (
          <div className={styles.boxed}>
            {input}
            {end}
          </div>
        ) : (
          input
        );
      }}
    </Field>
  );
}

export type SearchFieldProps = InputProps & {
  /** The field's name and placeholder. */
  label: string;
  value: string;
  onValueChange: (value: string) => void;
  /** At the right while the field is empty, as a Kbd. */
  end?: ReactNode;
};

/** The search field of a pane or header. Escape clears it. */
export function SearchField({
  label,
  value,
  onValueChange,
  end,
  className,
  ...rest
}: SearchFieldProps) {
  return (
    <div className={classes(styles.search, className)}>
      <Search aria-hidden />
      <input
        maxLength={limits.searchCharacters}
        {...rest}
        type="search"
        aria-label={label}
        placeholder={rest.placeholder ?? label}
        value={value}
        onChange={(event) => onValueChange(event.target.value)}
        onKeyDown={(event) => {
          rest.onKeyDown?.(event);
          if (event.key === "Escape" && value) {
            event.stopPropagation();
            onValueChange("");
          }
        }}
      />
      {value ? (
        <IconButton size="small" icon={X} label={t("ui.clear")} onClick={() => onValueChange("")} />
      ) : (
        end
      )}
    </div>
  );
}

import { type ComponentProps, type RefObject, useLayoutEffect, useRef } from "react";
import { classes } from "../classes.ts";
import styles from "./field.module.css";
import { Field, type FieldProps } from "./field.tsx";

/** Keeps a textarea as high as its text. Heights are in px; beyond the maximum it scrolls. */
export function useAutoGrow(
  ref: RefObject<HTMLTextAreaElement | null>,
  value: string,
  least: number,
  most: number,
): void {
  useLayoutEffect(() => {
    const area = ref.current;
    if (!area) return;
    const grow = () => {
      area.style.height = "0px";
      area.style.height = `${Math.min(most, Math.max(least, area.scrollHeight + 2))}px`;
    };
    grow();
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width !== width) {
        width = entry.contentRect.width;
        grow();
      }
    });
    let width = area.clientWidth;
    observer.observe(area);
    return () => observer.disconnect();
  }, [ref, value, least, most]);
}

export type TextAreaProps = Omit<
  ComponentProps<"textarea">,
  "value" | "onChange" | "required" | "ref"
> &
  Omit<FieldProps, "children" | "isGroup"> & {
    value: string;
    onValueChange: (value: string) => void;
    /** The minimum and maximum number of visible lines. */
    minRows?: number;
    maxRows?: number;
  };

export function TextArea({
  label,
  hint,
  error,
  aside,
  required,
  isLabelHidden,
  value,
  onValueChange,
  minRows = 4,
  maxRows = 16,
  className,
  ...rest
}: TextAreaProps) {
  const ref = useRef<HTMLTextAreaElement>(null);
  useAutoGrow(ref, value, minRows * 21 + 14, maxRows * 21 + 14);
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      aside={aside}
      required={required}
      isLabelHidden={isLabelHidden}
    >
      {(control) => (
        <textarea
          {...rest}
          {...control}
          ref={ref}
          rows={minRows}
          className={classes(styles.control, styles.area, className)}
          value={value}
          onChange={(event) => onValueChange(event.target.value)}
        />
      )}
    </Field>
  );
}

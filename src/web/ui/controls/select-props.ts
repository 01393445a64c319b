import type { LucideIcon } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import type { FieldControl } from "./field.tsx";

export type SelectOption<Value extends string> = {
  value: Value;
  label: string;
  /** Other names that a search finds it by. */
  alias?: string;
  detail?: ReactNode;
  icon?: LucideIcon;
  disabled?: boolean;
};

export type SelectProps<Value extends string> = {
  value: Value | null;
  onValueChange: (value: Value) => void;
  options: readonly SelectOption<Value>[];
  placeholder?: string;
  disabled?: boolean;
  className?: string;
  /** A list too long to look through has a search at its top: what it is called, and what it says when nothing is found. */
  search?: { label: string; empty: string };
} & (
  | { "aria-label": string; control?: undefined }
  | { control: FieldControl; "aria-label"?: undefined }
);

/** A letter of what is sought, or a space after those that were typed before: the first space is the button's own. */
export const isLetter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, before = "") =>
  key.length === 1 && (key !== " " || before !== "") && !ctrlKey && !metaKey && !altKey;

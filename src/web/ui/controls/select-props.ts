import type { LucideIcon } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import type { FieldControl } from "./field.tsx";

export type SelectOption<Value extends string> = {
  value: Value;
  label: string;
  /** Further names for the search. */
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
  /**
   * For a list too long to scan: a search at the top, with its label and its message for no
   * results.
   */
  search?: { label: string; empty: string };
} & (
  | { "aria-label": string; control?: undefined }
  | { control: FieldControl; "aria-label"?: undefined }
);

/**
 * Whether a key types a search: a letter, or a space after other letters. A first space belongs to
 * the button.
 */
export const isLetter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, before = "") =>
  key.length === 1 && (key !== " " || before !== "") && !ctrlKey && !metaKey && !altKey;

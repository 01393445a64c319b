import type { ReactNode } from "react";
import type { Json } from "#contract/json.ts";
import type { Control } from "./form-model.ts";

/** The labels and hints around a field's control. */
export type FieldLabels = {
  label: string;
  hint?: string;
  error?: string;
  required?: boolean;
  aside?: ReactNode;
  end?: ReactNode;
  isLabelHidden?: boolean;
};

export type ControlProps<Kind extends Control["kind"]> = {
  /** The value's path: "loras.0.path". */
  path: string;
  control: Extract<Control, { kind: Kind }>;
  value: Json | undefined;
  /** The model's default, shown as a placeholder. */
  fallback?: Json;
  /** Undefined removes the value. */
  onChange: (value: Json | undefined) => void;
  shared: FieldLabels;
};

export type ControlViewProps = {
  path: string;
  control: Control;
  label: string;
  hint?: string;
  isRequired: boolean;
  fallback?: Json;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  /** At the label's right. */
  aside?: ReactNode;
  isLabelHidden?: boolean;
};

import type { ReactNode } from "react";
import type { Json } from "#contract/json.ts";
import type { Control } from "./form-model.ts";

/** What every field says around its control. */
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
  /** Where the value is: "loras.0.path". */
  path: string;
  control: Extract<Control, { kind: Kind }>;
  value: Json | undefined;
  /** What the model takes when nothing is given; shown in place of it. */
  fallback?: Json;
  /** Undefined takes the value out. */
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

import type { Json } from "#contract/json.ts";

export type FileKind = "image" | "video" | "audio" | "file";
export type ChoiceOption = {
  value: Json;
  label: string /** Width divided by height, if the value names a shape. */;
  ratio?: number;
};

/** A value's kind of control. */
export type Control =
  | { kind: "text"; isLong: boolean; minLength?: number; maxLength?: number; example?: string }
  | {
      kind: "number";
      isInteger: boolean;
      isSlider: boolean;
      min?: number;
      max?: number;
      step?: number;
    }
  | { kind: "seed"; min?: number; max?: number }
  | { kind: "switch" }
  | { kind: "choice"; options: readonly ChoiceOption[]; look: "segmented" | "shapes" | "list" }
  | { kind: "checks"; options: readonly ChoiceOption[] }
  | { kind: "size"; presets: readonly ChoiceOption[]; width: Bounds; height: Bounds }
  | { kind: "color"; shape: "hex" | "rgb" }
  | { kind: "file"; accepts: FileKind }
  | { kind: "files"; accepts: FileKind; most: number }
  | { kind: "list"; item: Control; start: Json; least: number; most: number }
  | { kind: "group"; fields: readonly FormField[] }
  | { kind: "variants"; variants: readonly Variant[] }
  /** No form: recursion, a map of any keys, or an unknown schema. */
  | { kind: "json" };

export type Bounds = { min: number; max: number; step: number };
/** One of several types that a value may have. `fits` tests whether a value has it. */
export type Variant = {
  label: string;
  control: Control;
  start: Json;
  fits: (value: Json) => boolean;
};

export type FormField = {
  name: string;
  label: string;
  hint?: string;
  isRequired: boolean;
  /** The model's default. */
  fallback?: Json;
  /** Whether null is allowed, which differs from leaving the value out. */
  isNullable: boolean;
  /** From the schema's `x-rare`; if it is missing, the name decides. */
  isRare?: boolean;
  control: Control;
};

export type FormModel = { main: readonly FormField[]; advanced: readonly FormField[] };

import type { Json } from "#contract/json.ts";

export type FileKind = "image" | "video" | "audio" | "file";
export type ChoiceOption = {
  value: Json;
  label: string /** Width divided by height, where the value names a shape. */;
  ratio?: number;
};

/** How a value is asked for. */
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
  /** No form of its own: a loop, a map of any keys, something unknown. */
  | { kind: "json" };

export type Bounds = { min: number; max: number; step: number };
/** One of several kinds that a value may be of. `fits` tells which a value is. */
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
  /** What the model takes when nothing is given. */
  fallback?: Json;
  /** Null may be given, which is not the same as nothing. */
  isNullable: boolean;
  /** What the schema's maker says (`x-rare`); left out, its name tells. */
  isRare?: boolean;
  control: Control;
};

export type FormModel = { main: readonly FormField[]; advanced: readonly FormField[] };

import type { Model } from "#contract/entities.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { defaultsOf, propertiesOf } from "#domain/schemas/input-schema.ts";

/** The fields of a realtime model that stand beside the canvas by themselves; null where it has none of the kind. */
export type LiveFields = {
  hasPrompt: boolean;
  strength: {
    name: string;
    min: number;
    max: number;
    step: number;
    value: number;
    title: string;
  } | null;
  hasSeed: boolean;
  /** Asked for elsewhere, or not at all: the drawing, other files. */
  omit: string[];
  /** Whether anything is left for a form of its own. */
  hasMore: boolean;
};

/** The field that a realtime model takes the drawing in; null for one that takes none. */
export const drawingFieldOf = (model: Pick<Model, "capabilities"> | null): string | null =>
  (model?.capabilities as { live?: { drawing: string | null } } | undefined)?.live?.drawing ?? null;

/** How models name how much of the drawing is left: `strength`, or a word before it. */
const isStrength = (name: string): boolean => /(^|_)strength$/.test(name);

export function liveFieldsOf(schema: JsonSchema | null, drawing: string | null): LiveFields {
  const properties = propertiesOf(schema);
  const names = Object.keys(properties);
  const strengthName = names.find((name) => isStrength(name) && isNumber(properties[name]));
  const files = names.filter((name) => JSON.stringify(properties[name]).includes('"x-file"'));
  const omit = [
    ...new Set([
      "prompt",
      "seed",
      ...(strengthName ? [strengthName] : []),
      ...(drawing ? [drawing] : []),
      ...files,
    ]),
  ];
  return {
    hasPrompt: "prompt" in properties,
    strength: strengthName ? toSlider(strengthName, properties[strengthName] ?? {}) : null,
    hasSeed: "seed" in properties,
    omit,
    hasMore: names.some((name) => !omit.includes(name)),
  };
}

const isNumber = (field: JsonSchema | undefined): boolean =>
  field?.type === "number" || field?.type === "integer";

function toSlider(name: string, field: JsonSchema): NonNullable<LiveFields["strength"]> {
  const number = (value: unknown, otherwise: number): number =>
    typeof value === "number" ? value : otherwise;
  const [min, max] = [number(field.minimum, 0), number(field.maximum, 1)];
  const title =
    typeof field.title === "string" && field.title ? field.title : name.replaceAll("_", " ");
  return {
    name,
    min,
    max,
    step: max - min <= 2 ? 0.05 : 1,
    value: number(field.default, (min + max) / 2),
    title,
  };
}

/** What is sent: what was set, without what is empty. */
export function settingsToSend(schema: JsonSchema | null, values: JsonObject): JsonObject {
  const known = propertiesOf(schema);
  const kept = Object.entries(values).filter(
    ([name, value]) => (schema === null || name in known) && value !== "" && value !== null,
  );
  const settings = Object.fromEntries(kept);
  // A prompt that the model must have and nobody wrote: its own default, or nothing is sent yet.
  const required = Array.isArray(schema?.required) ? schema.required : [];
  const fallback = defaultsOf(schema).prompt;
  if (required.includes("prompt") && settings.prompt === undefined && fallback !== undefined)
    settings.prompt = fallback;
  return settings;
}

/** Whether the model would refuse every input because a word is missing. */
export const lacksPrompt = (schema: JsonSchema | null, settings: JsonObject): boolean =>
  Array.isArray(schema?.required) &&
  schema.required.includes("prompt") &&
  typeof settings.prompt !== "string";

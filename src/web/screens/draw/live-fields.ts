import type { Model } from "#contract/entities.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { defaultsOf, propertiesOf } from "#domain/schemas/input-schema.ts";
import { humanize } from "../../components/schema-form/schema-names.ts";

/** The fields of a realtime model that have their own controls next to the canvas. */
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
  /** Left out of the form: fields with their own control, the drawing, other files. */
  omit: string[];
  /** Whether fields remain for the form. */
  hasMore: boolean;
};

/** The field in which a realtime model takes the drawing; null if it takes none. */
export const drawingFieldOf = (model: Pick<Model, "capabilities"> | null): string | null =>
  (model?.capabilities as { live?: { drawing: string | null } } | undefined)?.live?.drawing ?? null;

/** Models name it `strength`, or with a prefix. */
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
  const title = humanize(typeof field.title === "string" && field.title ? field.title : name);
  return {
    name,
    min,
    max,
    step: max - min <= 2 ? 0.05 : 1,
    value: number(field.default, (min + max) / 2),
    title,
  };
}

/** The settings to send, without empty values. */
export function settingsToSend(schema: JsonSchema | null, values: JsonObject): JsonObject {
  const known = propertiesOf(schema);
  const kept = Object.entries(values).filter(
    ([name, value]) => (schema === null || name in known) && value !== "" && value !== null,
  );
  const settings = Object.fromEntries(kept);
  // A missing required prompt gets the schema's default.
  const required = Array.isArray(schema?.required) ? schema.required : [];
  const fallback = defaultsOf(schema).prompt;
  if (required.includes("prompt") && settings.prompt === undefined && fallback !== undefined)
    settings.prompt = fallback;
  return settings;
}

/** Whether the required prompt is missing. */
export const lacksPrompt = (schema: JsonSchema | null, settings: JsonObject): boolean =>
  Array.isArray(schema?.required) &&
  schema.required.includes("prompt") &&
  typeof settings.prompt !== "string";

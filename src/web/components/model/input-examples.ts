import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { promptOf, propertiesOf } from "#domain/schemas/input-schema.ts";
import { fileFieldsOf } from "../schema-form/field-facts.ts";

/** An input that a model's own schema gives. Files stay away: those of an example lie at its provider, and a form takes files of the library. */
export type InputExample = { input: JsonObject; withoutFiles: boolean };

const mostExamples = 4;
const isRecord = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): JsonObject[string][] => (Array.isArray(value) ? value : []);

/**
 * What a schema carries as examples, and nothing else: those of the whole input; or else the first of each field together, the
 * second, and so on, as many as there are of its words. A model without words or without examples of them has none.
 */
export function examplesOf(schema: JsonSchema | null): InputExample[] {
  const whole = listOf(schema?.examples).filter(isRecord);
  const inputs = whole.length > 0 ? whole : togetherOf(schema);
  const seen = new Set<string>();
  return inputs
    .map((input) => withoutFiles(schema, input))
    .filter(({ input }) => {
      const text = JSON.stringify(input);
      return promptOf(input).trim() !== "" && !seen.has(text) && seen.add(text);
    })
    .slice(0, mostExamples);
}

/** A field of words may have them as its default: what stands in the form before anything is typed. */
function togetherOf(schema: JsonSchema | null): JsonObject[] {
  const properties = propertiesOf(schema);
  const words = Object.entries(properties).find(([name]) => promptOf({ [name]: "x" }) !== "");
  if (!words) return [];
  const [name, field] = words;
  const stated = listOf(field.examples);
  const said =
    stated.length > 0 ? stated : typeof field.default === "string" ? [field.default] : [];
  return said.map((value, place) => {
    const others = Object.entries(properties).flatMap(([other, { examples }]) => {
      const values = listOf(examples);
      return other === name || values.length === 0
        ? []
        : [[other, values.length === said.length ? values[place] : values[0]]];
    });
    return { ...(Object.fromEntries(others) as JsonObject), [name]: value };
  });
}

function withoutFiles(schema: JsonSchema | null, input: JsonObject): InputExample {
  const properties = propertiesOf(schema);
  const files = new Set(fileFieldsOf(schema).map(({ name }) => name));
  const takesFiles = (name: string): boolean =>
    files.has(name) || JSON.stringify(properties[name] ?? {}).includes('"x-file"');
  // A schema without fields is that of a conversation: its words are all there is.
  const isKnown = (name: string): boolean =>
    Object.keys(properties).length === 0 || Object.hasOwn(properties, name);
  const names = Object.keys(input).filter(isKnown);
  const kept = names.filter((name) => !takesFiles(name));
  return {
    input: Object.fromEntries(kept.map((name) => [name, input[name]])) as JsonObject,
    withoutFiles: kept.length < names.length,
  };
}

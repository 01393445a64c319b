import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { promptOf, propertiesOf } from "#domain/schemas/input-schema.ts";
import { fileFieldsOf } from "../schema-form/field-facts.ts";

/**
 * An example input from a model's own schema. File fields are left out, because an example's files
 * are at its provider and the form takes library files.
 */
export type InputExample = { input: JsonObject; withoutFiles: boolean };

const maxExamples = 4;
const isRecord = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): JsonObject[string][] => (Array.isArray(value) ? value : []);

/**
 * The examples in a schema: those of the whole input; else the first example of each field
 * combined, then the second, up to the number of prompt examples. Without a prompt field, or
 * without examples of it, there are none.
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
    .slice(0, maxExamples);
}

/** A text field may have an example as its default, which fills the form initially. */
function togetherOf(schema: JsonSchema | null): JsonObject[] {
  const properties = propertiesOf(schema);
  const words = Object.entries(properties).find(([name]) => promptOf({ [name]: "x" }) !== "");
  if (!words) return [];
  const [name, field] = words;
  const stated = listOf(field.examples);
  const promptExamples =
    stated.length > 0 ? stated : typeof field.default === "string" ? [field.default] : [];
  return promptExamples.map((value, index) => {
    const others = Object.entries(properties).flatMap(([other, { examples }]) => {
      const values = listOf(examples);
      return other === name || values.length === 0
        ? []
        : [[other, values.length === promptExamples.length ? values[index] : values[0]]];
    });
    return { ...(Object.fromEntries(others) as JsonObject), [name]: value };
  });
}

function withoutFiles(schema: JsonSchema | null, input: JsonObject): InputExample {
  const properties = propertiesOf(schema);
  const files = new Set(fileFieldsOf(schema).map(({ name }) => name));
  const takesFiles = (name: string): boolean =>
    files.has(name) || JSON.stringify(properties[name] ?? {}).includes('"x-file"');
  // A schema without fields belongs to a chat model, whose only input is text.
  const isKnown = (name: string): boolean =>
    Object.keys(properties).length === 0 || Object.hasOwn(properties, name);
  const names = Object.keys(input).filter(isKnown);
  const kept = names.filter((name) => !takesFiles(name));
  return {
    input: Object.fromEntries(kept.map((name) => [name, input[name]])) as JsonObject,
    withoutFiles: kept.length < names.length,
  };
}

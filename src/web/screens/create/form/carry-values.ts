import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { fileFieldsOf } from "../../../components/schema-form/field-facts.ts";
import type { validateForm } from "../../../components/schema-form/validate-form.ts";

/** The names of models' text fields. */
export const textFields = ["prompt", "text", "input", "lyrics", "lyrics_prompt"];

/**
 * The form's values for a newly chosen model: its saved draft, overridden by the values typed for
 * the previous model in equal fields that accept them. Text and files carry over to fields with
 * other names. `validate` is null if it couldn't be loaded; an equal name is then enough.
 */
export function carryValues(
  values: JsonObject,
  from: JsonSchema | null,
  to: JsonSchema | null,
  kept: JsonObject,
  validate: typeof validateForm | null,
): JsonObject {
  if (to === null) return { ...kept, ...values };
  const carried: JsonObject = {};
  const wanted = propertiesOf(to);
  const fits = (name: string, value: JsonObject[string]): boolean => {
    const field = wanted[name];
    if (!field) return false;
    // A field may refer to the schema's definitions.
    const alone: JsonSchema = {
      type: "object",
      properties: { [name]: field },
      ...(to.$defs !== undefined && { $defs: to.$defs }),
    };
    return !validate || Object.keys(validate(alone, { [name]: value })).length === 0;
  };
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && fits(name, value)) carried[name] = value;
  carryText(values, wanted, carried);
  carryFiles(values, from, to, carried);
  return { ...kept, ...carried };
}

function carryText(
  values: JsonObject,
  wanted: Record<string, JsonSchema>,
  carried: JsonObject,
): void {
  const text = textFields
    .map((name) => values[name])
    .find((value) => typeof value === "string" && value !== "");
  const target = textFields.find((name) => wanted[name]);
  if (text && target && carried[target] === undefined) carried[target] = text;
}

function carryFiles(
  values: JsonObject,
  from: JsonSchema | null,
  to: JsonSchema,
  carried: JsonObject,
): void {
  const sources = fileFieldsOf(from).flatMap((field) => {
    const value = values[field.name];
    const [first] = Array.isArray(value) ? value : [value];
    return typeof first === "string" && carried[field.name] === undefined
      ? [{ kind: field.kind, reference: first }]
      : [];
  });
  for (const field of fileFieldsOf(to)) {
    if (carried[field.name] !== undefined) continue;
    const at = sources.findIndex(({ kind }) => kind === field.kind);
    if (at < 0) continue;
    const [source] = sources.splice(at, 1);
    if (source) carried[field.name] = field.isList ? [source.reference] : source.reference;
  }
}

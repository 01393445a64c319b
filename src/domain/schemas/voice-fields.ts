import type { JsonSchema } from "#contract/json.ts";
import { propertiesOf } from "./input-schema.ts";

/** Services' names for the text to speak and for the recording to transcribe, most common first. */
export const textNames = ["input", "text", "prompt", "gen_text"] as const;
export const recordingNames = ["file", "audio", "audio_url", "audio_file", "media_url"] as const;

const fileKindOf = (field: JsonSchema): unknown => {
  const [first] = [
    field,
    ...(Array.isArray(field.anyOf) ? (field.anyOf as JsonSchema[]) : []),
  ].filter(({ "x-file": kind }) => kind);
  return first?.["x-file"];
};

/**
 * The field of a speech model's form that holds the text, and its maximum length; null if there is
 * none.
 */
export function textFieldOf(
  schema: JsonSchema | null,
): { name: string; mostCharacters: number | null } | null {
  if (schema === null) return { name: textNames[0], mostCharacters: null };
  const fields = propertiesOf(schema);
  const name = textNames.find(
    (known) => Object.hasOwn(fields, known) && fileKindOf(fields[known]!) === undefined,
  );
  if (!name) return null;
  const { maxLength } = fields[name]!;
  return { name, mostCharacters: typeof maxLength === "number" ? maxLength : null };
}

/** The field of a transcription model's form that holds the recording; null if there is none. */
export function recordingFieldOf(schema: JsonSchema | null): string | null {
  if (schema === null) return recordingNames[0];
  const fields = propertiesOf(schema);
  const named = recordingNames.find((known) => Object.hasOwn(fields, known));
  return named ?? Object.keys(fields).find((name) => fileKindOf(fields[name]!) === "audio") ?? null;
}

/**
 * The other required fields without a default, filled with their first allowed value; null if a
 * person has to fill one in.
 */
export function restOfForm(
  schema: JsonSchema | null,
  given: string,
): Record<string, unknown> | null {
  const fields = propertiesOf(schema);
  const required = Array.isArray(schema?.required) ? (schema.required as string[]) : [];
  const rest: Record<string, unknown> = {};
  for (const name of required) {
    if (name === given || fields[name]?.default !== undefined) continue;
    const [first] =
      [fields[name]?.enum, fields[name]?.examples].find((values) => Array.isArray(values)) ?? [];
    if (first === undefined) return null;
    rest[name] = first;
  }
  return rest;
}

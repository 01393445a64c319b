import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { isRecord } from "../../wire/error-fields.ts";

/**
 * Settings of a run that fal takes as headers and not in its input (fal.ai/docs, "Platform
 * headers"): fields of that name.
 */
export const queuePriority = "x-fal-queue-priority";
export const startTimeout = "x-fal-request-timeout";

const fields: Record<string, JsonSchema> = {
  [queuePriority]: {
    type: "string",
    title: "Queue priority",
    description:
      "low: fal starts it after runs of normal priority. Only for runs that go by the queue.",
    enum: ["normal", "low"],
  },
  [startTimeout]: {
    type: "number",
    title: "Start timeout (seconds)",
    description: "The run fails, at no cost, when fal has not started it after so long.",
    minimum: 1,
    maximum: 86_400,
  },
};

/** Appends these settings to a model's form. */
export function withRunHeaders(schema: JsonSchema | null): JsonSchema | null {
  if (!schema || !isRecord(schema.properties)) return schema;
  return { ...schema, properties: { ...schema.properties, ...fields } };
}

/** Splits a run's input into headers and the model's own input. */
export function splitRunHeaders(input: JsonObject): {
  headers: Record<string, string>;
  input: JsonObject;
} {
  const isHeader = ([name]: [string, unknown]): boolean => name in fields;
  const entries = Object.entries(input);
  const headers = entries
    .filter(isHeader)
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => [name, String(value)]);
  return {
    headers: Object.fromEntries(headers),
    input: Object.fromEntries(entries.filter((entry) => !isHeader(entry))),
  };
}

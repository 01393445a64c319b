import type { JsonSchema } from "#contract/json.ts";
import type { ModelCapabilities } from "../adapter.ts";

type Properties = { [name: string]: JsonSchema };

/** An object schema whose fields keep their written order (`x-order`, as in Replicate). */
export function inOrder(properties: Properties, required: string[] = []): JsonSchema {
  const ordered = Object.entries(properties).map(([name, schema], index) => [
    name,
    { ...schema, "x-order": index },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(ordered),
    required,
    additionalProperties: false,
  };
}

/**
 * The settings of a chat: those that nearly every model takes, and `more` of a kind's own. `outputTokens` is the model's own
 * limit, where it is known.
 */
export function chatForm(
  capabilities: ModelCapabilities,
  outputTokens: number | undefined,
  more: Properties = {},
): JsonSchema {
  const properties: Properties = {
    maxOutputTokens: {
      type: "integer",
      title: "Longest answer",
      description:
        "In tokens, reasoning included. Empty: as long as the model and the budget allow.",
      minimum: 1,
      ...(outputTokens !== undefined && { maximum: outputTokens }),
    },
    temperature: {
      type: "number",
      title: "Temperature",
      description: "0 keeps to the likeliest words.",
      minimum: 0,
      maximum: 2,
    },
    topP: {
      type: "number",
      title: "Top P",
      description: "Samples only from the most likely tokens up to this share.",
      minimum: 0,
      maximum: 1,
    },
    stop: {
      type: "array",
      title: "Stop at",
      description: "The answer stops before any of these.",
      items: { type: "string" },
      maxItems: 4,
    },
  };
  if (capabilities.seed !== false)
    properties.seed = {
      type: "integer",
      title: "Seed",
      description: "The same seed usually gives the same answer.",
    };
  if (capabilities.reasoning !== false) {
    properties.reasoningEffort = {
      type: "string",
      title: "Reasoning effort",
      enum: ["none", "minimal", "low", "medium", "high", "xhigh"],
    };
  }
  return inOrder({ ...properties, ...more });
}

/** A field that takes a file of the library; `kind` is a media type such as image/*. */
export const fileField = (kind: string) => ({
  type: "string",
  format: "uri",
  contentMediaType: kind,
});

const mostExamples = 10;
const mostExampleCharacters = 8_000;

/** Some examples hold a whole file as text, which shows nobody anything. */
export const boundedExamples = (values: readonly unknown[]): unknown[] =>
  values
    .filter((value) => (JSON.stringify(value)?.length ?? 0) <= mostExampleCharacters)
    .slice(0, mostExamples);

/** A form with examples from elsewhere at its provider; its own come first. */
export function withExamples(form: JsonSchema, values: readonly unknown[]): JsonSchema {
  const examples = boundedExamples(
    values.filter((value) => typeof value === "object" && value !== null),
  );
  return examples.length === 0 || Array.isArray(form.examples) ? form : { ...form, examples };
}

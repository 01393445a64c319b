import type { JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { ModelCapabilities } from "../adapter.ts";

type Properties = { [name: string]: JsonSchema };

/** An object schema that keeps the order of its fields (`x-order`, as in Replicate). */
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

/** Settings that most chat APIs share. */
export const chatFields = {
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
  seed: {
    type: "integer",
    title: "Seed",
    description: "The same seed usually gives the same answer.",
  },
} satisfies Properties;

/**
 * Builds the settings form of a chat: the fields that nearly every model supports, and `more` from
 * the kind. `outputTokens` is the model's own limit, if known.
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
    temperature: chatFields.temperature,
    topP: chatFields.topP,
    stop: chatFields.stop,
  };
  if (capabilities.seed !== false) properties.seed = chatFields.seed;
  if (capabilities.reasoning !== false) {
    properties.reasoningEffort = {
      type: "string",
      title: "Reasoning effort",
      enum: ["none", "minimal", "low", "medium", "high", "xhigh"],
    };
  }
  return inOrder({ ...properties, ...more });
}

/** A field for a file from the library. `kind` is a media type such as image/*. */
export const fileField = (kind: string) => ({
  type: "string",
  format: "uri",
  contentMediaType: kind,
});

export const promptField: JsonSchema = {
  type: "string",
  title: "Prompt",
  minLength: 1,
  maxLength: limits.promptCharacters,
};
export const textField: JsonSchema = { ...promptField, title: "Text" };

export const sourcePicturesField = (most: number): JsonSchema => ({
  type: "array",
  title: "Pictures to start from",
  items: fileField("image/*"),
  maxItems: most,
});

export const maskField: JsonSchema = {
  ...fileField("image/png"),
  title: "Mask",
  description: "Transparent areas of the first picture are changed.",
};

export const backgroundField: JsonSchema = {
  type: "string",
  title: "Background",
  enum: ["auto", "opaque", "transparent"],
};

export const pictureFormatField: JsonSchema = {
  type: "string",
  title: "File format",
  enum: ["png", "jpeg", "webp"],
};

export const pictureCountField = (most: number): JsonSchema => ({
  type: "integer",
  title: "Number of pictures",
  minimum: 1,
  maximum: most,
  default: 1,
});

const maxExamples = 10;
const maxExampleCharacters = 8_000;

/** Leaves out examples that contain a whole file as text. */
export const boundedExamples = (values: readonly unknown[]): unknown[] =>
  values
    .filter((value) => (JSON.stringify(value)?.length ?? 0) <= maxExampleCharacters)
    .slice(0, maxExamples);

/** Adds a provider's examples to a form that has none. */
export function withExamples(form: JsonSchema, values: readonly unknown[]): JsonSchema {
  const examples = boundedExamples(
    values.filter((value) => typeof value === "object" && value !== null),
  );
  return examples.length === 0 || Array.isArray(form.examples) ? form : { ...form, examples };
}

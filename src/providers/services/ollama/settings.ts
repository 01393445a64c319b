import type { Json, JsonObject, JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { RunContext, RunRequest } from "../../adapter.ts";
import { chatFields, inOrder, textField } from "../../wire/forms.ts";
import { samplingForm } from "../../wire/sampling.ts";

/** A model's thinking levels, from /api/show. Without them, a thinking model accepts on and off. */
export type ThinkValues = (boolean | string)[];

/**
 * The settings of a chat. Names with a meaning elsewhere are ours; `toOptions` writes them as
 * Ollama's.
 */
export function chatSchema(facts: {
  contextTokens?: number | undefined;
  think: ThinkValues | null;
}): JsonSchema {
  const { contextTokens, think } = facts;
  const levels = think?.filter((value) => typeof value === "string") ?? [];
  const properties: { [name: string]: JsonSchema } = {
    maxOutputTokens: {
      type: "integer",
      title: "Longest answer",
      description: "In tokens, thinking included. Empty: as long as the context allows.",
      minimum: 1,
    },
    temperature: chatFields.temperature,
    topP: chatFields.topP,
    ...samplingForm,
    seed: chatFields.seed,
    stop: chatFields.stop,
    contextTokens: {
      type: "integer",
      title: "Context",
      description: "The context window in tokens. A larger one needs more memory.",
      minimum: 256,
      ...(contextTokens !== undefined && { maximum: contextTokens }),
    },
    keepAlive: {
      type: "string",
      title: "Keep loaded",
      description: "How long the model stays in memory after the answer.",
      examples: ["5m", "1h", "-1"],
    },
    ...(think && {
      think:
        levels.length > 0
          ? { type: "string", title: "Thinking", enum: levels }
          : { type: "boolean", title: "Think first" },
    }),
  };
  return inOrder(properties);
}

export const embeddingSchema: JsonSchema = inOrder(
  {
    input: textField,
    dimensions: { type: "integer", title: "Dimensions", minimum: 1 },
  },
  ["input"],
);

const optionNames: Readonly<Record<string, string>> = {
  maxOutputTokens: "num_predict",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  minP: "min_p",
  repeatPenalty: "repeat_penalty",
  frequencyPenalty: "frequency_penalty",
  presencePenalty: "presence_penalty",
  seed: "seed",
  stop: "stop",
  contextTokens: "num_ctx",
};

/**
 * Returns the part of /api/chat's body that comes from settings; a setting that Ollama lacks
 * becomes a warning.
 */
export function toOptions(
  request: RunRequest,
  context: Pick<RunContext, "warn">,
): { [field: string]: Json } {
  const options: JsonObject = { num_predict: limits.chatOutputTokens };
  const fields: { [field: string]: Json } = {};
  for (const [name, value] of Object.entries(request.input)) {
    if (value === null || value === undefined || value === "") continue;
    const option = optionNames[name];
    if (option) options[option] = value;
    else if (name === "keepAlive")
      fields.keep_alive = /^-?\d+$/.test(String(value)) ? Number(value) : value;
    else if (name === "think" || name === "reasoningEffort")
      setThinking(fields, name, value, request, context);
    else
      context.warn({
        type: "unsupported",
        feature: name,
        message: sentences.settings.notInOllama({ setting: name }),
      });
  }
  return { ...fields, options: { ...options, ...request.passed } };
}

function setThinking(
  fields: { [field: string]: Json },
  name: string,
  value: Json,
  request: RunRequest,
  context: Pick<RunContext, "warn">,
): void {
  const asked = value !== false && value !== "none";
  if (request.model.capabilities.reasoning !== true) {
    // For a model that can't think, even turning it off is an error.
    if (asked)
      context.warn({
        type: "unsupported",
        feature: name,
        message: sentences.settings.noThinking,
      });
    return;
  }
  const isLevel = typeof value === "string" && ["low", "medium", "high", "max"].includes(value);
  fields.think = asked ? (isLevel && takesLevels(request.model.inputSchema) ? value : true) : false;
}

function takesLevels(schema: JsonSchema | null): boolean {
  const properties = schema?.properties as { think?: { enum?: unknown } } | undefined;
  return Array.isArray(properties?.think?.enum);
}

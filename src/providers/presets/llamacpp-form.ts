import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { samplingFields, samplingForm } from "../wire/sampling.ts";

/**
 * Chat settings that llama.cpp accepts in addition to OpenAI's (README.md of its server, POST
 * /completion).
 */
export const chatForm: { [name: string]: JsonSchema } = {
  ...samplingForm,
  grammar: {
    type: "string",
    title: "Grammar",
    description: "The GBNF grammar that the answer must follow.",
    "x-rare": true,
  },
};

export const chatFields = (input: JsonObject): { [field: string]: unknown } => ({
  ...samplingFields(input),
  ...(typeof input.grammar === "string" && input.grammar !== "" && { grammar: input.grammar }),
});

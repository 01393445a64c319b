import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { CallContext, PlainBlock, PlainQuestion } from "../../adapter.ts";
import { statedCount } from "../../wire/values.ts";
import { askObject } from "./access.ts";

/**
 * POST /models/{id}:countTokens, which is free. The Gemini API takes the question as a whole
 * generation request (https://ai.google.dev/api/tokens), Vertex AI takes its fields directly.
 * @throws ProviderError
 */
export async function countGemini(
  modelId: string,
  question: PlainQuestion,
  context: CallContext,
  wrap: (asked: JsonObject) => JsonObject = (asked) => ({
    generateContentRequest: { model: `models/${modelId}`, ...asked },
  }),
): Promise<number> {
  const { totalTokens } = await askObject(
    context,
    `/models/${encodeURIComponent(modelId)}:countTokens`,
    wrap(toGemini(question)),
  );
  return statedCount(totalTokens, sentences.connections.notService({ service: "Google" }));
}

/** Converts a question to Gemini's form. */
function toGemini({ messages, system, tools }: PlainQuestion): JsonObject {
  const names = new Map<string, string>();
  const partOf = (block: PlainBlock): JsonObject => {
    if (block.type === "text") return { text: block.text };
    if (block.type === "tool_use") {
      names.set(block.id, block.name);
      return { functionCall: { name: block.name, args: block.input } };
    }
    const { tool_use_id: id, content } = block;
    const name = names.get(id) ?? id;
    return { functionResponse: { name, response: { name, content: plainTextOf(content) } } };
  };
  return {
    contents: messages.map(({ role, content }) => ({
      role: role === "user" ? "user" : "model",
      parts: typeof content === "string" ? [{ text: content }] : content.map(partOf),
    })),
    ...(system && { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, input_schema: schema }) => ({
            name,
            description: description ?? "",
            parametersJsonSchema: schema,
          })),
        },
      ],
    }),
  };
}

const plainTextOf = (content: string | readonly PlainBlock[]): string =>
  typeof content === "string"
    ? content
    : content.map((block) => (block.type === "text" ? block.text : "")).join("");

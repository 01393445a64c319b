import { sentences } from "#contract/sentences/index.ts";
import { type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../../adapter.ts";
import { toEmbeddingFile } from "../../wire/media-input.ts";
import { ask } from "./call.ts";

/** A text as a vector (/api/embed), kept as a JSON file {model, dimensions, embedding}. */
export async function* answerEmbedding(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const { input, dimensions } = request.input;
  // It would silently truncate a text that is too long.
  const text = { input: String(input ?? ""), truncate: false };
  const json = {
    model: request.model.id,
    ...text,
    ...(typeof dimensions === "number" && { dimensions }),
  };
  const answer = await ask(context, { path: "embed", method: "POST", json });
  const embedding = Array.isArray(answer.embeddings) ? answer.embeddings[0] : undefined;
  if (!Array.isArray(embedding) || !embedding.every((value) => typeof value === "number")) {
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.answers.ollamaNoVector,
    });
  }
  yield toEmbeddingFile(request.model.id, embedding);
  const inputTokens = answer.prompt_eval_count;
  yield {
    type: "finish",
    reason: "stop",
    usage: typeof inputTokens === "number" ? { inputTokens } : {},
  };
}

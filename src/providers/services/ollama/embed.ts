import { sentences } from "#contract/sentences/index.ts";
import { type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../../adapter.ts";
import {
  embeddingBounds,
  embeddingInputs,
  isVector,
  toEmbeddingFile,
} from "../../wire/media-input.ts";
import { ask } from "./call.ts";

/** Embeds texts (/api/embed), and stores the vectors as a JSON file. */
export async function* answerEmbedding(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const { dimensions } = request.input;
  const inputs = embeddingInputs(request);
  // Otherwise it would silently truncate a text that is too long.
  const text = { input: inputs.length > 1 ? inputs : inputs[0]!, truncate: false };
  const json = {
    model: request.model.id,
    ...text,
    ...(typeof dimensions === "number" && { dimensions }),
  };
  const answer = await ask(context, { path: "embed", method: "POST", json }, embeddingBounds);
  const embeddings: unknown[] = Array.isArray(answer.embeddings) ? answer.embeddings : [];
  if (embeddings.length < inputs.length || !embeddings.every(isVector)) {
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.answers.ollamaNoVector,
    });
  }
  yield toEmbeddingFile(request.model.id, request, embeddings);
  const inputTokens = answer.prompt_eval_count;
  yield {
    type: "finish",
    reason: "stop",
    usage: typeof inputTokens === "number" ? { inputTokens } : {},
  };
}

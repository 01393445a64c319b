import { limits } from "#contract/limits.ts";
import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions } from "../../wire/http-errors.ts";
import {
  embeddingBounds,
  embeddingInputs,
  given,
  isVector,
  readMediaUsage,
  toEmbeddingFile,
  type Vector,
} from "../../wire/media-input.ts";
import { postJson } from "./access.ts";
import { unexpectedBody } from "./errors.ts";

/**
 * Embeds texts or tokens (/embeddings), and stores the vectors as a JSON file.
 * @param form `base64` only for a service that documents it, because other servers may refuse it
 */
export async function* answerEmbedding(
  request: RunRequest,
  context: RunContext,
  form: "float" | "base64" = "float",
): AsyncGenerator<AnswerPart> {
  const inputs = embeddingInputs(request);
  const isBatch = Array.isArray(request.input.input);
  const response = await postJson(context, "/embeddings", {
    model: request.model.id,
    input: isBatch ? inputs : inputs[0],
    encoding_format: isBatch ? form : "float",
    ...given(request, ["dimensions"]),
  });
  const body = await readJson(
    response,
    readOptions(context, "POST"),
    limits.providerJsonBytes,
    embeddingBounds,
  );
  const vectors = isRecord(body) && !body.error ? vectorsOf(body.data, inputs.length) : null;
  if (!isRecord(body) || !vectors) throw unexpectedBody(body, answerer(context));
  const model = typeof body.model === "string" ? body.model : request.model.id;
  yield toEmbeddingFile(model, request, vectors);
  yield { type: "finish", reason: "stop", usage: readMediaUsage(body.usage) };
}

/** Returns one vector for each input, in input order; null if one is missing. */
function vectorsOf(data: unknown, count: number): Vector[] | null {
  const vectors: Vector[] = [];
  for (const [index, one] of (Array.isArray(data) ? data : []).entries())
    if (isRecord(one) && isVector(one.embedding))
      vectors[typeof one.index === "number" ? one.index : index] = one.embedding;
  const inOrder = Array.from({ length: count }, (_, place) => vectors[place]);
  return inOrder.every((vector) => vector !== undefined) ? inOrder : null;
}

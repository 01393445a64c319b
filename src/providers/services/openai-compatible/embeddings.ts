import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions } from "../../wire/http-errors.ts";
import { given, readMediaUsage, toEmbeddingFile } from "../../wire/media-input.ts";
import { postJson } from "./access.ts";
import { unexpectedBody } from "./errors.ts";

/** A text as a vector (/embeddings), kept as a JSON file {model, dimensions, embedding}. */
export async function* answerEmbedding(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const response = await postJson(context, "/embeddings", {
    model: request.model.id,
    input: String(request.input.input ?? ""),
    encoding_format: "float",
    ...given(request, ["dimensions"]),
  });
  const body = await readJson(response, readOptions(context, "POST"));
  const first =
    isRecord(body) && !body.error && Array.isArray(body.data) ? body.data[0] : undefined;
  const embedding =
    isRecord(first) &&
    Array.isArray(first.embedding) &&
    first.embedding.every((value) => typeof value === "number")
      ? first.embedding
      : null;
  if (!isRecord(body) || !embedding) throw unexpectedBody(body, answerer(context));
  yield toEmbeddingFile(typeof body.model === "string" ? body.model : request.model.id, embedding);
  yield { type: "finish", reason: "stop", usage: readMediaUsage(body.usage) };
}

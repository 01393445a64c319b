import type { Adapter, AnswerPart, CallContext, RunContext, RunRequest } from "../../adapter.ts";
import { baseUrl } from "../../wire/connection.ts";
import { openSigned } from "../../wire/open-file.ts";
import { answerGoogle, type OpenClient } from "../google/answers.ts";
import { signIn } from "./access.ts";
import { countTokens } from "./count.ts";
import { vertexKind } from "./kind.ts";
import { checkConnection, listModels } from "./models.ts";
import { answerPartner, isPartner } from "./partners.ts";
import { job } from "./videos.ts";

export const vertex: Adapter = {
  ...vertexKind,
  check: checkConnection,
  models: listModels,
  answer,
  countTokens,
  prefersAnswer: (_options, { task }) => task !== "video",
  job,
  openFile,
};

/** @throws ProviderError, or the signal's reason */
async function* answer(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const signed = await signIn(context);
  if (isPartner(request.model.id)) yield* answerPartner(request, signed);
  else yield* answerGoogle(openClient, request, signed.google);
}

const openClient: OpenClient = async (fetch, context) => {
  const { createGoogleVertex } = await import("@ai-sdk/google-vertex/edge");
  // With a key the client doesn't request a token; the connection's fetch replaces the key with the
  // real credential.
  const client = createGoogleVertex({
    apiKey: "signed by the connection",
    baseURL: baseUrl(context),
    fetch,
  });
  return {
    name: "googleVertex",
    languageModel: (id) => client(id),
    speechModel: (id) => client.speechModel(id),
    embeddingModel: (id) => client.textEmbeddingModel(id),
    // The newer models accept one text per request (cloud.google.com, "Get text embeddings"); the
    // client knows this only for the second of them.
    embedsAtOnce: (id) => (id.startsWith("gemini-embedding") ? 1 : undefined),
  };
};

/** Opens a video in a bucket with the account's token. */
function openFile(url: string, context: CallContext): AsyncIterable<Uint8Array> {
  return openSigned(url, context, async () => (await signIn(context)).google.fetch);
}

import type { Adapter, CallContext } from "../../adapter.ts";
import { baseUrl, keyOf } from "../../wire/connection.ts";
import { checkByList } from "../../wire/model-list.ts";
import { openSigned, withHeaders } from "../../wire/open-file.ts";
import { answerGoogle, type OpenClient } from "./answers.ts";
import { countGemini } from "./count.ts";
import { googleKind } from "./kind.ts";
import { listModels } from "./models.ts";
import { job } from "./videos.ts";

export const google: Adapter = {
  ...googleKind,
  check: checkByList(listModels),
  models: listModels,
  answer: (request, context) => answerGoogle(openClient, request, context),
  countTokens: (model, question, context) => countGemini(model, question, context),
  prefersAnswer: (_options, { task }) => task !== "video",
  job,
  openFile,
};

const openClient: OpenClient = async (fetch, context) => {
  const { createGoogle } = await import("@ai-sdk/google");
  const client = createGoogle({ apiKey: keyOf(context), baseURL: baseUrl(context), fetch });
  return {
    name: "google",
    languageModel: (id) => client(id),
    speechModel: (id) => client.speechModel(id),
    embeddingModel: (id) => client.embeddingModel(id),
  };
};

/** Opens a video. The key goes only to the connection's own address. */
function openFile(url: string, context: CallContext): AsyncIterable<Uint8Array> {
  return openSigned(url, context, async () =>
    url.startsWith(`${baseUrl(context)}/`)
      ? withHeaders(context.fetch, { "x-goog-api-key": keyOf(context) })
      : context.fetch,
  );
}

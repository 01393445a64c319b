import { limits } from "#contract/limits.ts";
import type { Adapter, CallContext } from "../../adapter.ts";
import { openDownload } from "../../outbound/outbound-download.ts";
import { baseUrl, keyOf } from "./access.ts";
import { answerGoogle, type OpenClient } from "./answers.ts";
import { googleKind } from "./kind.ts";
import { checkConnection, listModels } from "./models.ts";
import { job } from "./videos.ts";

export const google: Adapter = {
  ...googleKind,
  check: checkConnection,
  models: listModels,
  answer: (request, context) => answerGoogle(openClient, request, context),
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

/** A film, which opens with the connection's key alone. The key goes to the connection's own address and to no other. */
function openFile(url: string, context: CallContext): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      const isOwn = url.startsWith(`${baseUrl(context)}/`);
      const fetch: typeof context.fetch = (address, init) =>
        context.fetch(address, {
          ...init,
          headers: {
            ...Object.fromEntries(new Headers(init?.headers)),
            ...(isOwn && { "x-goog-api-key": keyOf(context) }),
          },
        });
      yield* (
        await openDownload({ fetch, url, mostBytes: limits.outputBytes, signal: context.signal })
      ).stream;
    },
  };
}

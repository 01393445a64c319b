import { limits } from "#contract/limits.ts";
import type { Adapter, CallContext } from "../adapter.ts";
import { openDownload } from "../outbound-download.ts";
import { baseUrl, keyOf } from "./access.ts";
import { answerGoogle, type OpenClient } from "./answers.ts";
import { checkConnection, listModels } from "./models.ts";
import { job } from "./videos.ts";

/** The Gemini API (https://ai.google.dev/api). */
export const google: Adapter = {
  kind: "google",
  name: "Google Gemini",
  summary: "Gemini with thinking, tools and Google Search; pictures, films of Veo, speech, embeddings.",
  docs: "google.md",
  runsOn: "hosted",
  fields: [
    { name: "key", label: "API key", kind: "secret", required: true, hint: "From aistudio.google.com, under Get API key." },
    {
      name: "api",
      label: "Base URL",
      kind: "url",
      required: false,
      address: "api",
      advanced: true,
      placeholder: "https://generativelanguage.googleapis.com/v1beta",
    },
    {
      name: "models",
      label: "Further models",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: '[{"id": "gemini-new-image", "task": "image"}]',
      hint: "A JSON list of id and task (chat, image, speech, embedding), for models that the list does not name or whose task is not known.",
    },
  ],
  addresses: { api: "https://generativelanguage.googleapis.com/v1beta" },
  environmentKeys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  tasks: ["chat", "image", "video", "speech", "embedding"],
  check: checkConnection,
  models: listModels,
  answer: (request, context) => answerGoogle(openClient, request, context),
  prefersAnswer: (_options, { task }) => task !== "video",
  job,
  openFile,
  // Films are kept for two days (https://ai.google.dev/gemini-api/docs/video).
  outputLifetimeMs: 2 * 24 * 60 * 60_000,
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
          headers: { ...Object.fromEntries(new Headers(init?.headers)), ...(isOwn && { "x-goog-api-key": keyOf(context) }) },
        });
      yield* (await openDownload({ fetch, url, mostBytes: limits.outputBytes, signal: context.signal })).stream;
    },
  };
}

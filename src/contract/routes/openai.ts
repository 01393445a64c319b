import type { RouteTable } from "../route.ts";

/** The project is the key's own: these are for keys alone. */
const target = { kind: "project", from: "key" } as const;
const errors = ["model_gone", "budget_exceeded", "ceiling_needed", "idempotency_mismatch", "storage_full", "too_large"] as const;
/** OpenAI's API over every model of every connection, as `connection/model`. Errors have OpenAI's shape; each call is a run. */
export const openAiRoutes = {
  createChatCompletion: {
    method: "POST",
    path: "/v1/chat/completions",
    permission: "edit",
    target,
    summary: "An answer of a language model, whole or as it comes.",
    errors,
    body: "large",
  },
  createResponse: {
    method: "POST",
    path: "/v1/responses",
    permission: "edit",
    target,
    summary: "The same in the form of OpenAI's Responses.",
    errors,
    body: "large",
  },
  createImages: {
    method: "POST",
    path: "/v1/images/generations",
    permission: "edit",
    target,
    summary: "Pictures from words.",
    errors,
    body: "large",
  },
  editImages: {
    method: "POST",
    path: "/v1/images/edits",
    permission: "edit",
    target,
    summary: "Pictures from pictures and words, as a form with files.",
    errors,
    body: "bytes",
  },
  createEmbeddings: {
    method: "POST",
    path: "/v1/embeddings",
    permission: "edit",
    target,
    summary: "Texts as vectors: each text is a run.",
    errors,
    body: "large",
  },
  createSpeech: {
    method: "POST",
    path: "/v1/audio/speech",
    permission: "edit",
    target,
    summary: "Words read aloud.",
    errors,
    body: "large",
    answer: "bytes",
  },
  createTranscription: {
    method: "POST",
    path: "/v1/audio/transcriptions",
    permission: "edit",
    target,
    summary: "A recording as words, as a form with a file.",
    errors,
    body: "bytes",
  },
  listOpenAiModels: { method: "GET", path: "/v1/models", permission: "view", target, summary: "Every model, in OpenAI's form." },
  getOpenAiModel: {
    method: "GET",
    path: "/v1/models/:model",
    isDeep: true,
    permission: "view",
    target,
    summary: "One model, in OpenAI's form.",
  },
} as const satisfies RouteTable;

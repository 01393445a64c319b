import type { RouteTable } from "../../route.ts";

/** The project of the API key, which these routes require. */
const target = { kind: "project", from: "key" } as const;
const errors = [
  "model_gone",
  "budget_exceeded",
  "ceiling_needed",
  "idempotency_mismatch",
  "storage_full",
  "too_large",
] as const;
/**
 * OpenAI's API for every model of every connection, as `connection/model`. Errors have OpenAI's
 * format; each call is a run.
 */
export const openAiRoutes = {
  createChatCompletion: {
    method: "POST",
    path: "/v1/chat/completions",
    permission: "edit",
    target,
    summary: "Create a chat completion, whole or streamed.",
    errors,
    body: "files",
  },
  createResponse: {
    method: "POST",
    path: "/v1/responses",
    permission: "edit",
    target,
    summary: "Create a response, whole or streamed.",
    errors,
    body: "files",
  },
  getResponse: {
    method: "GET",
    path: "/v1/responses/:responseId",
    permission: "view",
    target,
    summary: "Get a stored response of your key, whole or as events.",
  },
  listInputItems: {
    method: "GET",
    path: "/v1/responses/:responseId/input_items",
    permission: "view",
    target,
    summary: "List the input items of a stored response of your key.",
  },
  deleteResponse: {
    method: "DELETE",
    path: "/v1/responses/:responseId",
    permission: "edit",
    target,
    summary: "Delete the content of a stored response. Its run remains in the ledger.",
  },
  cancelResponse: {
    method: "POST",
    path: "/v1/responses/:responseId/cancel",
    permission: "edit",
    target,
    summary: "Cancel a stored response that is still running.",
  },
  createImages: {
    method: "POST",
    path: "/v1/images/generations",
    permission: "edit",
    target,
    summary: "Create images from a prompt.",
    errors,
    body: "large",
  },
  editImages: {
    method: "POST",
    path: "/v1/images/edits",
    permission: "edit",
    target,
    summary: "Edit images with a prompt, as a form with files or as JSON.",
    errors,
    body: "form",
  },
  createEmbeddings: {
    method: "POST",
    path: "/v1/embeddings",
    permission: "edit",
    target,
    summary: "Create embeddings of texts or tokens, in as few runs as the service allows.",
    errors,
    body: "large",
  },
  createSpeech: {
    method: "POST",
    path: "/v1/audio/speech",
    permission: "edit",
    target,
    summary: "Create speech from text.",
    errors,
    body: "large",
    answer: "bytes",
  },
  createTranscription: {
    method: "POST",
    path: "/v1/audio/transcriptions",
    permission: "edit",
    target,
    summary: "Transcribe a recording, as a form with a file.",
    errors,
    body: "bytes",
  },
  listOpenAiModels: {
    method: "GET",
    path: "/v1/models",
    permission: "view",
    target,
    summary: "List the models in OpenAI's format, or in Anthropic's for its clients.",
  },
  getOpenAiModel: {
    method: "GET",
    path: "/v1/models/:model",
    isDeep: true,
    permission: "view",
    target,
    summary: "Get a model in OpenAI's format, or in Anthropic's for its clients.",
  },
} as const satisfies RouteTable;

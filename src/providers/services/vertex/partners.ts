import { sentences } from "#contract/sentences/index.ts";
import { type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../../adapter.ts";
import { stopSequenceIn } from "../../ai-sdk/stop-sequence.ts";
import { baseUrl } from "../../wire/connection.ts";
import type { Classify } from "../../wire/http-errors.ts";
import { classify as classifyClaude } from "../anthropic/errors.ts";
import { withThinkingInLimit } from "../anthropic/thinking-limit.ts";
import { classify as classifyGoogle } from "../google/errors.ts";
import type { SignedConnection } from "./access.ts";

/** Whether a model is from another maker, whose name then precedes the model's. */
export const isPartner = (modelId: string): boolean => modelId.includes("/");

/** The version of Anthropic's API at Google, sent in each request's body. */
export const claudeVersion = "vertex-2023-10-16";

/**
 * Chats with another maker's model.
 * @throws ProviderError, or the signal's reason
 */
export function answerPartner(
  request: RunRequest,
  { partners }: SignedConnection<RunContext>,
): AsyncIterable<AnswerPart> {
  if (!partners) {
    const message = sentences.cloud.serviceAccountNeeded;
    throw new ProviderError("provider_invalid_input", "no", { message });
  }
  return request.model.id.startsWith("anthropic/")
    ? answerClaude(request, partners.anthropic)
    : answerOpenModel(request, partners.openai);
}

/** Errors come from Google before the model is reached, and from Anthropic after. */
const classify: Classify = (fields, status) =>
  classifyClaude(fields, status) ?? classifyGoogle(fields, status);

/**
 * Uses Claude's own Messages API at a URL of Google's
 * (https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude).
 */
async function* answerClaude(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const [{ AnthropicLanguageModel }, { createSdkCall }, { answerLanguage, claudeCallId }] =
    await Promise.all([
      // The client for Vertex AI signs in by itself and bypasses the guarded fetch, so only its
      // reading and writing parts are used.
      import("@ai-sdk/anthropic/internal"),
      import("../../ai-sdk/sdk-call.ts"),
      import("../../ai-sdk/language.ts"),
    ]);
  const id = request.model.id.replace(/^anthropic\//, "");
  const call = createSdkCall(context, classify);
  const model = new AnthropicLanguageModel(id, {
    provider: "vertex.anthropic.messages",
    baseURL: baseUrl(context),
    fetch: withThinkingInLimit(call.fetch, request, context),
    buildRequestUrl: (base, isStreaming) =>
      `${base}/models/${encodeURIComponent(id)}:${isStreaming ? "streamRawPredict" : "rawPredict"}`,
    transformRequestBody: ({ model: _, ...body }) => ({
      ...body,
      anthropic_version: claudeVersion,
    }),
    supportedUrls: () => ({}),
    supportsNativeStructuredOutput: false,
    supportsStrictTools: false,
  });
  yield* answerLanguage(call, model, request, context, {
    callId: claudeCallId,
    resultOf: stopSequenceIn("anthropic"),
  });
}

async function* answerOpenModel(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const { answerChat } = await import("../openai-compatible/chat.ts");
  yield* answerChat(request, context);
}

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { stopSequenceIn } from "../../ai-sdk/stop-sequence.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { parseExactly } from "../../wire/tool-call.ts";
import { fitThinking, lastContents } from "../anthropic/thinking-limit.ts";
import { addressOf, signInToBedrock } from "./access.ts";
import { readsCache } from "./catalogue.ts";
import { classify } from "./errors.ts";
import { guardFrames } from "./frames.ts";

/**
 * Answers through POST /model/{id}/converse-stream. The client loads with the first answer.
 * @throws ProviderError, or the signal's reason
 */
export async function* answerChat(
  request: RunRequest,
  unsigned: RunContext,
): AsyncGenerator<AnswerPart> {
  const [{ createAmazonBedrock }, { createSdkCall }, { answerLanguage, claudeCallId }] =
    await Promise.all([
      import("@ai-sdk/amazon-bedrock"),
      import("../../ai-sdk/sdk-call.ts"),
      import("../../ai-sdk/language.ts"),
    ]);
  const { context, region } = await signInToBedrock(unsigned);
  const limited = placeTopK(keepLimit(context.fetch, request, context));
  const call = createSdkCall(
    { ...context, fetch: guardFrames(limited, context.connection.secret) },
    classify,
  );
  const model = createAmazonBedrock({
    region,
    baseURL: addressOf(context, "api"),
    // Our fetch signs instead. Without a key, the client would look for one in the environment.
    apiKey: "signed-by-our-fetch",
    fetch: call.fetch,
  })(request.model.id);
  yield* answerLanguage(call, model, request, context, {
    providerOptions: { amazonBedrock: { ...guardrailOf(context) } },
    callId: claudeCallId,
    resultOf: stopSequenceIn("amazonBedrock"),
    editPrompt: (prompt) => markCache(nameDocuments(prompt), request.model.id),
  });
}

/** Returns the guardrail that an admin set on the connection, which applies to every chat. */
function guardrailOf({ connection: { options } }: RunContext): {
  guardrailConfig?: { guardrailIdentifier: string; guardrailVersion: string };
} {
  if (typeof options.guardrail !== "string" || options.guardrail === "") return {};
  const version =
    typeof options.guardrailVersion === "string" && options.guardrailVersion !== ""
      ? options.guardrailVersion
      : "DRAFT";
  return { guardrailConfig: { guardrailIdentifier: options.guardrail, guardrailVersion: version } };
}

/**
 * Marks long repeated text to be cached by the provider: everything up to the end of the system
 * prompt, and of the question.
 */
function markCache(prompt: LanguageModelV4Prompt, modelId: string): LanguageModelV4Prompt {
  if (!readsCache(modelId)) return prompt;
  const lastSystem = prompt.findLastIndex(({ role }) => role === "system");
  const lastUser = prompt.findLastIndex(({ role }) => role === "user");
  return prompt.map((message, index) =>
    index === lastSystem || index === lastUser
      ? {
          ...message,
          providerOptions: {
            ...message.providerOptions,
            amazonBedrock: { cachePoint: { type: "default" } },
          },
        }
      : message,
  );
}

/**
 * Converse refuses two documents with the same name, and documents without text
 * (API_runtime_DocumentBlock).
 */
function nameDocuments(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const names = new Map<string, number>();
  return prompt.map((message) => {
    if (message.role !== "user") return message;
    const content = message.content.map((part) => {
      if (part.type !== "file" || part.mediaType.startsWith("image/")) return part;
      const name =
        (part.filename ?? "document")
          .replace(/\.[^.]*$/, "")
          .replace(/[^a-zA-Z0-9 ()[\]-]+/g, " ")
          .trim() || "document";
      const count = (names.get(name.toLowerCase()) ?? 0) + 1;
      names.set(name.toLowerCase(), count);
      return { ...part, filename: count === 1 ? name : `${name} (${count})` };
    });
    const documents = content.flatMap((part) =>
      part.type === "file" && !part.mediaType.startsWith("image/") ? [part.filename ?? ""] : [],
    );
    const hasText = content.some((part) => part.type === "text");
    return {
      ...message,
      content:
        documents.length > 0 && !hasText
          ? [{ type: "text" as const, text: documents.join(", ") }, ...content]
          : content,
    };
  });
}

/**
 * Makes the output limit include reasoning: the client adds the reasoning budget to it, so that an
 * answer could cost more than its reservation.
 */
const keepLimit =
  (
    fetch: typeof globalThis.fetch,
    request: RunRequest,
    context: RunContext,
  ): typeof globalThis.fetch =>
  async (url, init) => {
    const { input } = request;
    const most = input.maxOutputTokens;
    const thinks = typeof input.reasoningEffort === "string" && input.reasoningEffort !== "none";
    if (!thinks || typeof init?.body !== "string") return fetch(url, init);
    const body: unknown = parseExactly(init.body);
    if (!isRecord(body)) return fetch(url, init);
    const { inferenceConfig: config, additionalModelRequestFields: fields, messages } = body;
    const thinking = isRecord(fields) ? fields.thinking : undefined;
    const isBudgeted = isRecord(thinking) && thinking.budget_tokens !== undefined;
    if (typeof most === "number" && isRecord(config) && Number(config.maxTokens) > most)
      config.maxTokens = most;
    if (isBudgeted && isRecord(fields))
      fitThinking(thinking, request, context, {
        isBegun: hasBegunWithoutThinking(messages),
        leaveOut: () => delete fields.thinking,
      });
    return fetch(url, { ...init, body: JSON.stringify(body) });
  };

/**
 * Converse itself has no top-k: Claude reads it from its own fields (the client would send it as
 * one of Converse's).
 */
const placeTopK =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (url, init) => {
    const body: unknown = typeof init?.body === "string" ? parseExactly(init.body) : null;
    if (!isRecord(body) || !isRecord(body.inferenceConfig) || !("topK" in body.inferenceConfig))
      return fetch(url, init);
    const { topK, ...inferenceConfig } = body.inferenceConfig;
    const own = isRecord(body.additionalModelRequestFields)
      ? body.additionalModelRequestFields
      : {};
    const placed = {
      ...body,
      inferenceConfig,
      additionalModelRequestFields: { ...own, top_k: topK },
    };
    return fetch(url, { ...init, body: JSON.stringify(placed) });
  };

/** Like Claude's own API, in the fields of Converse. */
function hasBegunWithoutThinking(messages: unknown): boolean {
  const [answer, results] = lastContents(messages);
  return (
    results?.some((block) => "toolResult" in block) === true &&
    !(answer?.[0] && "reasoningContent" in answer[0])
  );
}

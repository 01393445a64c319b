import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { sentences } from "#contract/sentences/index.ts";
import type { Adapter, AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { answerByTask } from "../../wire/answer-by-task.ts";
import { baseUrl, keyOf } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { checkByList } from "../../wire/model-list.ts";
import { classify, isOwnShape } from "./access.ts";
import { cohereKind } from "./kind.ts";
import { listModels } from "./models.ts";

export const cohere: Adapter = {
  ...cohereKind,
  check: checkByList(listModels),
  models: listModels,
  answer: answerByTask({ chat: answerChat, embedding: answerEmbedding }),
};

/** Opens the client and its guarded call, loaded with the first answer. */
async function open(context: RunContext) {
  const [{ createCohere }, { createSdkCall }] = await Promise.all([
    import("@ai-sdk/cohere"),
    import("../../ai-sdk/sdk-call.ts"),
  ]);
  const call = createSdkCall(context, classify, isOwnShape);
  return {
    call,
    client: createCohere({
      apiKey: keyOf(context),
      baseURL: `${baseUrl(context)}/v2`,
      fetch: call.fetch,
    }),
  };
}

/**
 * The client drops citations, so their documents are read from the raw events and reported before
 * the end.
 */
async function* answerChat(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const { call, client } = await open(context);
  const { answerLanguage } = await import("../../ai-sdk/language.ts");
  const cited = new Map<string, AnswerPart>();
  const onRaw = (event: unknown) => {
    for (const source of sourcesIn(event)) cited.set(JSON.stringify(source), source);
  };
  // Cohere accepts no documents together with tools or a required form.
  const documents = !request.answerShape && !request.tools?.length;
  const asked = withOwnPenalties(request, context);
  for await (const part of answerLanguage(call, client(request.model.id), asked, context, {
    onRaw,
    documents,
    failures,
  })) {
    if (part.type === "finish") yield* cited.values();
    yield part;
  }
}

/** Cohere's penalties are from 0 to 1, and OpenAI's from -2 to 2. */
function withOwnPenalties(request: RunRequest, context: RunContext): RunRequest {
  const taken = Object.entries(request.passed ?? {}).filter(([name, value]) => {
    const isTaken =
      !name.endsWith("_penalty") || (typeof value === "number" && value >= 0 && value <= 1);
    if (!isTaken) {
      const message = sentences.settings.notTaken({ setting: name });
      context.warn({ type: "unsupported", feature: name, message });
    }
    return isTaken;
  });
  return { ...request, passed: Object.fromEntries(taken) };
}

/** https://docs.cohere.com/reference/chat-stream: the client itself reports ERROR. */
const failures = { TIMEOUT: "provider_timeout" } as const;

/**
 * `citation-start`: {delta: {message: {citations: {sources: [{type: "document", id, document:
 * {title}}]}}}}.
 */
function sourcesIn(event: unknown): AnswerPart[] {
  if (
    !isRecord(event) ||
    event.type !== "citation-start" ||
    !isRecord(event.delta) ||
    !isRecord(event.delta.message)
  )
    return [];
  const { citations } = event.delta.message;
  const sources: unknown[] =
    isRecord(citations) && Array.isArray(citations.sources) ? citations.sources : [];
  return sources.filter(isRecord).flatMap(({ type, document, id }): AnswerPart[] => {
    if (type !== "document") return [];
    const title =
      isRecord(document) && typeof document.title === "string" && document.title
        ? document.title
        : String(id ?? "");
    return title ? [{ type: "source", title, document: title }] : [];
  });
}

async function* answerEmbedding(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const { call, client } = await open(context);
  const { answerEmbedding: answer } = await import("../../ai-sdk/media.ts");
  const { inputType, outputDimension } = request.input;
  const chosen = { ...(inputType && { inputType }), ...(outputDimension && { outputDimension }) };
  const providerOptions = { cohere: chosen } as SharedV4ProviderOptions;
  yield* answer({
    call,
    model: client.embeddingModel(request.model.id),
    request,
    context,
    providerOptions,
  });
}

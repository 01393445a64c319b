import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { JsonObject } from "#contract/json.ts";
import { type AnswerPart, type FinishReason, ProviderError, type RunContext, type RunRequest, type Usage } from "../adapter.ts";
import { isRecord } from "../error-words.ts";
import { answerer, baseUrl } from "./access.ts";
import { createChatExtras } from "./chat-extras.ts";
import { toPrompt } from "./chat-prompt.ts";
import { createChatWire } from "./chat-wire.ts";
import { toAnswerError } from "./errors.ts";

/** The client's name for the connection, under which its options travel; never sent. */
const clientName = "bottega";

/**
 * One chat answer as it comes, over one POST to /chat/completions. Ends with `finish`, or throws: ProviderError with the
 * text kept so far already given, or the signal's reason.
 */
export async function* answerChat(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const prompt = await toPrompt(request.turns, request.model.capabilities, context);
  const wire = createChatWire(context);
  const extras = createChatExtras();
  const facts = answerer(context);
  // Loaded at the first answer: zod and the client cost memory that a studio without this kind needs not pay.
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const client = createOpenAICompatible({
    name: clientName,
    baseURL: baseUrl(context),
    ...(context.connection.secret && { apiKey: context.connection.secret }),
    fetch: wire.fetch,
    includeUsage: true,
    transformRequestBody: (body) => nameOutputLimit(body, context),
    metadataExtractor: {
      extractMetadata: async () => undefined,
      createStreamExtractor: () => ({ processChunk: extras.read, buildMetadata: () => undefined }),
    },
  });

  let stream: ReadableStream<LanguageModelV4StreamPart>;
  try {
    // doStream and not streamText: it neither repeats nor buffers, and costs a third of the time a chunk.
    ({ stream } = await client
      .chatModel(request.model.id)
      .doStream({ prompt, ...settings(request, context), abortSignal: context.signal }));
  } catch (error) {
    throw (
      wire.failure() ??
      new ProviderError("provider_invalid_input", "no", { message: error instanceof Error ? error.message : undefined }, { cause: error })
    );
  }

  const whole = createCharacterJoiner();
  let usage: LanguageModelV4Usage | undefined;
  let finish: FinishReason | undefined;
  for await (const part of stream) {
    yield* extras.take();
    if (part.type === "text-delta") {
      const text = whole(part.delta);
      if (text) yield { type: "text", text };
    } else if (part.type === "reasoning-delta") yield { type: "reasoning", text: part.delta };
    else if (part.type === "error") {
      const failure = wire.failure() ?? toStreamError(part.error, extras.finish() !== undefined, facts);
      if (failure) throw failure;
    } else if (part.type === "finish") {
      usage = part.usage;
      finish = extras.finish();
    }
  }
  yield* extras.take();
  context.signal.throwIfAborted();
  if (!finish) throw wire.failure() ?? new ProviderError("provider_interrupted", "yes");
  const costMicros = readCost(usage?.raw);
  yield { type: "finish", reason: finish, usage: toUsage(usage), ...(costMicros !== undefined && { costMicros }) };
}

/** The person's settings, less those that the model is known not to take. */
function settings({ input, model }: RunRequest, context: RunContext) {
  const leaveOut = (feature: string, title: string) => {
    context.warn({ type: "unsupported", feature, message: `This model does not take the setting "${title}": it was left out.` });
    return undefined;
  };
  const number = (name: string) => (typeof input[name] === "number" ? input[name] : undefined);
  const seed = number("seed");
  const effort = typeof input.reasoningEffort === "string" ? input.reasoningEffort : undefined;
  const stop = Array.isArray(input.stop) ? input.stop.filter((text): text is string => typeof text === "string" && text !== "") : [];
  const allowedEffort = effort && model.capabilities.reasoning === false ? leaveOut("reasoningEffort", "Reasoning effort") : effort;
  return {
    maxOutputTokens: number("maxOutputTokens"),
    temperature: number("temperature"),
    topP: number("topP"),
    seed: seed !== undefined && model.capabilities.seed === false ? leaveOut("seed", "Seed") : seed,
    ...(stop.length > 0 && { stopSequences: stop }),
    ...(allowedEffort && { providerOptions: { [clientName]: { reasoningEffort: allowedEffort } } }),
  };
}

/**
 * OpenAI itself has replaced `max_tokens` by `max_completion_tokens`, and its reasoning models refuse the old name; most
 * other servers know only the old one. The connection says which; left open, the address decides.
 */
function nameOutputLimit(body: Record<string, unknown>, context: RunContext): Record<string, unknown> {
  const chosen = context.connection.options.outputLimitField;
  const modern = chosen === "max_completion_tokens" || (chosen !== "max_tokens" && new URL(baseUrl(context)).host === "api.openai.com");
  if (!modern) return body;
  const { max_tokens, ...rest } = body;
  return { ...rest, max_completion_tokens: max_tokens };
}

/**
 * What an error part means; null when it can be passed over: an empty `error` field beside content, and lines of another
 * shape, which some servers send as a sign of life or after the finish.
 */
function toStreamError(error: unknown, finished: boolean, facts: { secret: string | null; host: string }): ProviderError | null {
  if (error === null || error === undefined) return null;
  const name = error instanceof Error ? error.name : "";
  if (name === "AI_TypeValidationError" && isRecord(error) && isRecord(error.value)) {
    return error.value.error ? toAnswerError(error.value, facts) : null;
  }
  if (name === "AI_InvalidResponseDataError") return new ProviderError("provider_interrupted", "yes", {}, { cause: error });
  if (error instanceof Error) {
    if (finished) return null;
    const message = `${facts.host} sent a line in its answer that can't be read. What came before it is kept.`;
    return new ProviderError("provider_protocol", "yes", { message }, { cause: error });
  }
  return toAnswerError(error, facts);
}

/** Holds back half of a surrogate pair until its other half comes: servers that escape JSON to ASCII cut emoji in two. */
function createCharacterJoiner(): (delta: string) => string {
  let held = "";
  return (delta) => {
    const text = held + delta;
    const last = text.charCodeAt(text.length - 1);
    held = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : "";
    return held ? text.slice(0, -1) : text;
  };
}

function toUsage(usage: LanguageModelV4Usage | undefined): Usage {
  if (!usage?.raw) return {};
  const { inputTokens, outputTokens } = usage;
  return {
    ...(inputTokens.total !== undefined && { inputTokens: inputTokens.total }),
    ...(outputTokens.total !== undefined && { outputTokens: outputTokens.total }),
    ...(outputTokens.reasoning && { reasoningTokens: outputTokens.reasoning }),
    ...(inputTokens.cacheRead && { cachedInputTokens: inputTokens.cacheRead }),
  };
}

/** OpenRouter and its kin report the price of the call in dollars. */
export function readCost(usage: JsonObject | undefined | unknown): number | undefined {
  const cost = isRecord(usage) ? usage.cost : undefined;
  return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? Math.round(cost * 1e6) : undefined;
}

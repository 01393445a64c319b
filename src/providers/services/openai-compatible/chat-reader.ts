import { randomUUID } from "node:crypto";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { dollarsToMicros, sumToMicros } from "#domain/money/money.ts";
import { type AnswerPart, type FinishReason, ProviderError, type Usage } from "../../adapter.ts";
import { createLogprobs } from "../../wire/answer/logprobs.ts";
import { placedCitation, titleOf } from "../../wire/answer/placed-citation.ts";
import { filteredBy, isRecord } from "../../wire/error-fields.ts";
import { toToolCall } from "../../wire/tool-call.ts";
import { toAnswerError } from "./errors.ts";

/**
 * The metadata that records the field in which reasoning arrived. DeepSeek and others refuse a
 * tool's result without the reasoning before its call, and expect it in that field
 * (https://api-docs.deepseek.com/guides/thinking_mode).
 */
export const reasoningExtras = "openai-compatible";

/**
 * Reads the chunks of one chat answer in order. Lenient, because servers differ: content as text or
 * as parts (Mistral), reasoning under two names (DeepSeek, vLLM), pictures and sources next to the
 * text (OpenRouter, Perplexity), other lines as keep-alive or after the finish. `read` throws
 * ProviderError for an error within the stream.
 */
export function createChatReader(facts: {
  secret: string | null;
  host: string;
  costMicros?: number | undefined;
}) {
  const whole = createCharacterJoiner();
  const cited = new Set<string>();
  /** The citations whose place in the text the service states (OpenRouter, OpenAI's search models). */
  const placed = new Map<string, JsonObject>();
  const filters = new Set<string>();
  /** By the service's index, in the order in which they begin. */
  const calls = new Map<
    number,
    { place: number; id: string; name: string; input: string; untold: string }
  >();
  const logprobs = createLogprobs();
  let pictures = 0;
  let refused = false;
  let finish: string | undefined;
  let usage: Record<string, unknown> = {};

  let parts: AnswerPart[] = [];

  function readDelta(delta: Record<string, unknown>) {
    const field = typeof delta.reasoning_content === "string" ? "reasoning_content" : "reasoning";
    addReasoning(delta[field], { [reasoningExtras]: { field } });
    if (typeof delta.content === "string") addText(delta.content);
    else if (Array.isArray(delta.content)) delta.content.forEach(readContentPart);
    if (typeof delta.refusal === "string" && delta.refusal) {
      refused = true;
      addText(delta.refusal);
    }
    if (Array.isArray(delta.images)) delta.images.forEach(addPicture);
    if (Array.isArray(delta.tool_calls)) for (const piece of delta.tool_calls) addToolCall(piece);
    if (Array.isArray(delta.annotations)) {
      for (const note of delta.annotations)
        if (isRecord(note) && isRecord(note.url_citation)) addCitation(note.url_citation);
    }
  }

  function readContentPart(part: unknown) {
    if (!isRecord(part)) return;
    if (part.type === "text" && typeof part.text === "string") addText(part.text);
    if (part.type === "thinking" && Array.isArray(part.thinking))
      for (const thought of part.thinking) if (isRecord(thought)) addReasoning(thought.text);
    if (part.type === "image_url") addPicture(part);
  }

  function addText(delta: string) {
    const text = whole(delta);
    if (text) parts.push({ type: "text", text });
  }

  function addReasoning(text: unknown, providerMetadata?: { [kind: string]: JsonObject }) {
    if (typeof text === "string" && text)
      parts.push({ type: "reasoning", text, ...(providerMetadata && { providerMetadata }) });
  }

  /** A page is one source, however often the text cites it. */
  function addCitation(given: Record<string, unknown>) {
    addSource(given.url, given.title);
    const citation = placedCitation(given);
    // OpenRouter repeats a citation in later chunks.
    if (citation) placed.set(JSON.stringify(citation), citation);
  }

  function addSource(url: unknown, title: unknown) {
    if (typeof url !== "string" || cited.has(url)) return;
    cited.add(url);
    parts.push({ type: "source", title: titleOf(url, title), url });
  }

  /**
   * A call arrives in pieces: its name with the first, its input character by character. Servers
   * that don't number calls send each one whole.
   */
  function addToolCall(piece: unknown) {
    if (!isRecord(piece)) return;
    const reported = isRecord(piece.function) ? piece.function : {};
    const index = typeof piece.index === "number" ? piece.index : calls.size;
    const call = calls.get(index) ?? { place: calls.size, id: "", name: "", input: "", untold: "" };
    if (typeof piece.id === "string" && piece.id) call.id = piece.id;
    // Programs already have the name that its first piece told.
    if (typeof reported.name === "string") call.name ||= reported.name;
    const text = textOf(reported.arguments);
    call.input += text;
    call.untold += text;
    calls.set(index, call);
    if (!call.name) return;
    const { place: order, name, untold } = call;
    call.untold = "";
    parts.push({ type: "tool-call-piece", place: order, name, text: untold });
  }

  /** Some servers send the arguments of a call as an object. */
  const textOf = (written: unknown): string =>
    typeof written === "string" ? written : isRecord(written) ? JSON.stringify(written) : "";

  function addPicture(image: unknown) {
    const url = isRecord(image) && isRecord(image.image_url) ? image.image_url.url : undefined;
    if (typeof url !== "string") return;
    const inline = /^data:(image\/[a-z.+-]+);base64,/i.exec(url);
    const name = `picture-${++pictures}`;
    if (inline)
      parts.push({
        type: "file",
        output: {
          name,
          mime: inline[1]!,
          bytes: Buffer.from(url.slice(inline[0].length), "base64"),
        },
      });
    else parts.push({ type: "file", output: { name, url } });
  }

  return {
    /** Reads a chunk, or a whole answer, whose `message` is read like a delta. */
    read(chunk: unknown): AnswerPart[] {
      parts = [];
      if (!isRecord(chunk)) return parts;
      // Mistral's and vLLM's errors are chunks themselves; Groq's is among its own fields.
      if (chunk.error || chunk.object === "error") throw toAnswerError(chunk, facts);
      if (isRecord(chunk.x_groq) && chunk.x_groq.error) throw toAnswerError(chunk.x_groq, facts);
      if (isRecord(chunk.usage)) usage = chunk.usage;
      // Groq
      if (isRecord(chunk.x_groq) && isRecord(chunk.x_groq.usage)) usage = chunk.x_groq.usage;
      // Perplexity: sources with titles, before the plain URLs.
      if (Array.isArray(chunk.search_results))
        for (const found of chunk.search_results)
          if (isRecord(found)) addSource(found.url, found.title);
      if (Array.isArray(chunk.citations)) for (const url of chunk.citations) addSource(url, url);
      const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
      if (!isRecord(choice)) return parts;
      const delta = choice.delta ?? choice.message;
      if (isRecord(delta)) readDelta(delta);
      if (isRecord(choice.logprobs)) logprobs.add(choice.logprobs.content);
      for (const name of filteredBy(choice.content_filter_results)) filters.add(name);
      if (typeof choice.finish_reason === "string") finish = choice.finish_reason;
      return parts;
    },
    warnOfLogprobs: logprobs.warnIfCut,
    isFinished: () => finish !== undefined && finish !== "error",
    /**
     * Returns the last parts: the calls, now complete, and the finish.
     * @throws `provider_interrupted` when the answer never reported its end, `provider_rejected`
     *   when a filter stopped it
     */
    end(): AnswerPart[] {
      if (finish === undefined || finish === "error")
        throw new ProviderError("provider_interrupted", "yes");
      // DeepSeek, when it has no machine available.
      if (finish === "insufficient_system_resource")
        throw new ProviderError("provider_overloaded", "yes");
      // A service that names what its filter stopped has refused; others just end the answer there.
      if (finish === "content_filter" && filters.size > 0) throw stoppedByFilter(filters);
      const reason =
        refused && finish === "stop" ? "content-filter" : (finishReasons[finish] ?? "other");
      const costMicros = readCost(usage) ?? facts.costMicros;
      const result = {
        ...logprobs.result().result,
        ...(placed.size > 0 && { urlCitations: [...placed.values()] }),
      };
      return [
        // A generated id is used once, so that later answers in the conversation have others.
        ...[...calls.values()].map(({ place, id, name, input }) => {
          const callId = id || `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
          const call = toToolCall(callId, name, input);
          // A call that broke off before its arguments never runs without them.
          const isCut = reason === "length" && place === calls.size - 1 && input.trim() === "";
          return isCut ? { ...call, malformed: input } : call;
        }),
        // Some services report "stop" for an answer with tool calls.
        {
          type: "finish",
          reason: calls.size > 0 && reason === "stop" ? "tool-calls" : reason,
          usage: toUsage(usage),
          ...(costMicros !== undefined && { costMicros }),
          ...(Object.keys(result).length > 0 && { result }),
        },
      ];
    },
  };
}

/** The error of an answer that was stopped midway. The text before it is kept. */
export const stoppedByFilter = (names: Iterable<string>): ProviderError =>
  new ProviderError("provider_rejected", "yes", {
    message: sentences.answers.filtered({ reasons: [...names].join(", ") }),
  });

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  // Mistral: the context is full.
  model_length: "length",
  // Together
  eos: "stop",
  content_filter: "content-filter",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
};

/**
 * Holds back half of a surrogate pair until the other half arrives: servers that escape JSON to
 * ASCII split emoji.
 */
function createCharacterJoiner(): (delta: string) => string {
  let held = "";
  return (delta) => {
    const text = held + delta;
    const last = text.charCodeAt(text.length - 1);
    held = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : "";
    return held ? text.slice(0, -1) : text;
  };
}

function toUsage(usage: Record<string, unknown>): Usage {
  const input = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const output = isRecord(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const counts = {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    reasoningTokens: output.reasoning_tokens || undefined,
    // The second name is DeepSeek's.
    cachedInputTokens: input.cached_tokens || usage.prompt_cache_hit_tokens || undefined,
  };
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => Number.isInteger(count) && (count as number) >= 0),
  );
}

/**
 * Returns the cost in micro-dollars. OpenRouter and others report dollars, Perplexity a sum of
 * parts.
 */
export function readCost(usage: unknown): number | undefined {
  const reported = isRecord(usage) ? usage.cost : undefined;
  const cost = isRecord(reported) ? reported.total_cost : reported;
  const micros = typeof cost === "number" ? dollarsToMicros(cost) : null;
  return (micros === null ? null : sumToMicros([{ units: "1", micros }])) ?? undefined;
}

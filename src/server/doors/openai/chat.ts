import type { MessagePart, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import {
  type ChatBody,
  chatParameters,
  furtherParameters,
  notUsed,
} from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { FinishReason, ToolCall } from "#engine/plan/turns.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { ServerDeps } from "../../deps.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import { partsKeptBy } from "../../live/run-events.ts";
import { anyObject, askForAnswers, type ChatAsk, findChatModel } from "../programs/ask.ts";
import { callIdOf, writtenInput } from "../programs/earlier-answers.ts";
import {
  type Asking,
  endOf,
  extraFields,
  followToAnswer,
  headersOf,
  type IgnoredParameters,
  successOf,
  unusedOf,
  usageOf,
} from "../programs/follow.ts";
import { failureOf } from "../programs/run-problem.ts";
import { type CallPiece, createSentCalls } from "../programs/sent-calls.ts";
import { answerGone, streamOf } from "../programs/stream.ts";
import { together } from "../programs/together.ts";
import { onProblem } from "./errors.ts";
import { chooseChatTools } from "./tool-choice.ts";
import { isLegacy, type OfferedTool, readChatTools, textOfCall } from "./tools.ts";
import { droppedOfMessages, turnsOfMessages } from "./turns.ts";

/** POST /v1/chat/completions (OpenAI API reference, "Chat completions"). */
export async function createChatCompletion(
  deps: ServerDeps,
  asking: Asking,
  body: ChatBody,
): Promise<Response> {
  const model = await findChatModel(deps, asking, body.model);
  const { response_format: format } = body;
  const read = readChatTools(body);
  const chosen = chooseChatTools(read, body);
  const wanted = {
    turns: () => turnsOfMessages(deps, asking, body.messages),
    settings: [
      {
        ours: "maxOutputTokens",
        theirs: "max_tokens",
        value: body.max_completion_tokens ?? body.max_tokens,
      },
      { ours: "temperature", theirs: "temperature", value: body.temperature },
      { ours: "topP", theirs: "top_p", value: body.top_p },
      {
        ours: "stop",
        theirs: "stop",
        value: typeof body.stop === "string" ? [body.stop] : body.stop,
        isNeeded: true,
      },
      { ours: "seed", theirs: "seed", value: body.seed },
      { ours: "reasoningEffort", theirs: "reasoning_effort", value: body.reasoning_effort },
    ],
    // Before tools, an answer had at most one call.
    further: {
      ...furtherParameters(body, chatParameters),
      ...(isLegacy(body) && { parallel_tool_calls: false }),
    },
    ...chosen,
    answerShape:
      format?.type === "json_schema"
        ? shapeOf(format.json_schema)
        : format?.type === "json_object"
          ? anyObject
          : undefined,
    request: body,
  } satisfies ChatAsk;
  const { runs, dropped: lacking } = await askForAnswers(deps, asking, model, wanted, body.n ?? 1);
  const dropped = [
    ...lacking.filter((name) => name !== "parallel_tool_calls" || !isLegacy(body)),
    ...read.dropped,
    ...droppedOfMessages(body.messages),
  ];
  const unmet = { unused: unusedOf(body, notUsed), dropped };
  const offer = { offered: read.offered, asFunction: isLegacy(body) };
  const headers = headersOf(runs[0]?.id ?? "", dropped);
  if (body.stream)
    return streamOf(deps, asking, chunksOf(deps, asking, body, runs, { unmet, offer }), {
      headers,
      onProblem,
    });
  const ends = await Promise.allSettled(runs.map(({ id }) => endOf(deps, asking, id)));
  if (asking.gone.aborted) return answerGone;
  const ended = ends.flatMap((end, index) =>
    end.status === "fulfilled" && end.value ? [{ index, run: end.value }] : [],
  );
  // Paid answers are returned even if others failed; a failed one is missing by its index.
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (ended.length === 0 && failures.length > 0) throw failureOf(failures);
  return asking.c.json(completionOf(body, ended, { unmet, offer }), 200, headers);
}

/** The client decides whether its schema is enforced strictly; by default the service does. */
export const shapeOf = ({
  name,
  schema,
  strict,
}: {
  name: string;
  schema: Record<string, unknown>;
  strict?: boolean | null | undefined;
}) => ({ name, schema, ...(typeof strict === "boolean" && { strict }) });

const idOf = (runId: string): string => `chatcmpl-${runId}`;
const reasons: Record<FinishReason, string> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  other: "stop",
};

/** Returns an answer's text, calls and cost from its run. */
export function answerOf(run: OwnedRun) {
  const parts = partsKeptBy(run);
  const words = (type: "text" | "reasoning") =>
    parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
  const {
    toolCalls = [],
    finishReason = "stop",
    logprobs,
    stopSequence = null,
    textBlocks = [],
    urlCitations: placed = [],
  } = (run.result ?? {}) as {
    toolCalls?: ToolCall[];
    finishReason?: FinishReason;
    logprobs?: object[];
    stopSequence?: string;
    textBlocks?: TextBlock[];
    urlCitations?: UrlCitation[];
  };
  const text = words("text");
  return {
    text,
    reasoning: words("reasoning"),
    /** The web pages that the answer names as its sources. */
    pages: parts.flatMap((part) =>
      part.type === "source" && part.url !== undefined
        ? [{ url: part.url, title: part.title }]
        : [],
    ),
    /** Citations of these pages whose place in the text the service states. */
    placed,
    /** The same text in its blocks, if their citations are known, in Anthropic's form. */
    blocks: blocksOf(text, textBlocks),
    toolCalls,
    finishReason,
    /** The one that ended the answer, if its service says. */
    stopSequence,
    /** Per token, in OpenAI's form. */
    logprobs: logprobs ? { content: logprobs, refusal: null } : null,
  };
}

/** How long a block of an answer's text is, and its citations. */
type TextBlock = { length: number; citations: JsonObject[] };
/** Splits an answer's text into its blocks. What follows the last of them is one without citations. */
function blocksOf(
  text: string,
  blocks: readonly TextBlock[],
): { text: string; citations: JsonObject[] }[] {
  let end = 0;
  const own = blocks.map(({ length, citations }) => {
    const start = end;
    end += length;
    return { text: text.slice(start, end), citations };
  });
  return end < text.length ? [...own, { text: text.slice(end), citations: [] }] : own;
}

/** Converts an answer's calls to the form in which the program offered its tools. */
function toToolCalls(runId: string, calls: readonly ToolCall[], { offered }: Offer) {
  return calls.map((call, index) => {
    const { name } = call;
    const id = callIdOf(runId, index);
    return offered.get(name)?.type === "custom"
      ? { id, type: "custom" as const, custom: { name, input: textOfCall(call) } }
      : { id, type: "function" as const, function: { name, arguments: writtenInput(call) } };
  });
}

/**
 * The single call that a message could have before tools. The added id finds the reasoning that led
 * to it.
 */
const toFunctionCall = (runId: string, call: ToolCall) => ({
  name: call.name,
  arguments: writtenInput(call),
  id: callIdOf(runId, 0),
});

/** Returns the message field with an answer's calls, if it has any. */
function callsOf(
  runId: string,
  calls: readonly ToolCall[],
  offer: Offer,
): {
  tool_calls?: ReturnType<typeof toToolCalls>;
  function_call?: ReturnType<typeof toFunctionCall>;
} {
  const [first] = calls;
  if (!first) return {};
  return offer.asFunction
    ? { function_call: toFunctionCall(runId, first) }
    : { tool_calls: toToolCalls(runId, calls, offer) };
}

/** A call's arguments in the form in which the program offered its tool. */
const writtenFor = (call: ToolCall, { offered }: Offer): string =>
  offered.get(call.name)?.type === "custom" ? textOfCall(call) : writtenInput(call);

/**
 * Whether the arguments are streamed as the model writes them. The text of a free-text tool is known
 * when its call is whole, and in the old form a message has one call.
 */
const isStreamed = (event: StreamedEvent, { offered, asFunction }: Offer): boolean => {
  if (event.type !== "arguments-delta" || !("payload" in event)) return false;
  const { call, name } = event.payload as { call: number; name: string };
  return offered.get(name)?.type !== "custom" && (!asFunction || call === 0);
};

/** Returns the delta with the next part of a call: with the first one, its id and name. */
function callDelta(
  runId: string,
  { place, name, text, isFirst }: CallPiece,
  { offered, asFunction }: Offer,
): object {
  const id = callIdOf(runId, place);
  const type = offered.get(name)?.type === "custom" ? "custom" : "function";
  const written = type === "custom" ? { input: text } : { arguments: text };
  const piece = isFirst ? { name, ...written } : written;
  if (asFunction) return { function_call: isFirst ? { ...piece, id } : piece };
  return { tool_calls: [{ index: place, ...(isFirst && { id, type }), [type]: piece }] };
}

/** The tools of a request, and whether it sent them in the old form, as functions. */
type Offer = { offered: ReadonlyMap<string, OfferedTool>; asFunction: boolean };

const finishOf = (reason: FinishReason, { asFunction }: Offer): string =>
  asFunction && reason === "tool-calls" ? "function_call" : reasons[reason];

/** Sums the usage of all answers; null when their service counts nothing. */
function toUsage(runs: readonly OwnedRun[]) {
  const used = runs.map(usageOf);
  if (!used.some(({ isCounted }) => isCounted)) return null;
  const sum = (count: (one: (typeof used)[number]) => number): number =>
    used.reduce((total, one) => total + count(one), 0);
  return {
    prompt_tokens: sum((one) => one.inputTokens),
    completion_tokens: sum((one) => one.outputTokens),
    total_tokens: sum((one) => one.total),
    prompt_tokens_details: { cached_tokens: sum((one) => one.cachedInputTokens) },
    completion_tokens_details: { reasoning_tokens: sum((one) => one.reasoningTokens) },
  };
}

/** An answer's run, and its index among the requested answers. */
type ChoiceRun = { index: number; run: OwnedRun };

/** OpenAI's form of a citation, with its place in the text. */
type UrlCitation = { url: string; title: string; start_index: number; end_index: number };
type CitedPages = Pick<ReturnType<typeof answerOf>, "text" | "pages" | "placed">;

/**
 * The citations of an answer's pages. Most services name only the pages of an answer, so a page
 * without a place belongs to the whole text.
 */
export function urlCitations({ text, pages, placed }: CitedPages): UrlCitation[] {
  const known = new Set(placed.map(({ url }) => url));
  const whole = pages.filter(({ url }) => !known.has(url));
  return [...placed, ...whole.map((page) => ({ ...page, start_index: 0, end_index: text.length }))];
}

/** The same in the messages of chat completions, which nest it. */
function notesOf(answer: CitedPages): object {
  const citations = urlCitations(answer);
  return citations.length === 0
    ? {}
    : { annotations: citations.map((one) => ({ type: "url_citation", url_citation: one })) };
}

function choiceOf({ index, run }: ChoiceRun, offer: Offer) {
  const answer = answerOf(run);
  const { text, reasoning, toolCalls, finishReason, logprobs } = answer;
  const message = {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...notesOf(answer),
    ...(reasoning && { reasoning_content: reasoning }),
    ...callsOf(run.id, toolCalls, offer),
  };
  return { index, message, logprobs, finish_reason: finishOf(finishReason, offer) };
}

/** Returns the field that OpenAI's API lacks: for several answers, the facts of each run. */
const asidesOf = (
  [first, ...more]: readonly ChoiceRun[],
  { unmet, offer }: { unmet: IgnoredParameters; offer: Offer },
) => ({
  ...(first && asideOf(first.run, offer, unmet)),
  ...(more.length > 0 && {
    further: more.map(({ index, run }) => ({ index, ...asideOf(run, offer) })),
  }),
});

/** Warns when a message of the older `functions` form leaves out further calls. */
function asideOf(run: OwnedRun, { asFunction }: Offer, unmet?: IgnoredParameters) {
  const own = extraFields(run, unmet);
  const count = answerOf(run).toolCalls.length;
  const warnings = [...own.warnings, sentences.api.firstCallOnly({ count })];
  return asFunction && count > 1 ? { ...own, warnings } : own;
}

function completionOf(
  body: ChatBody,
  ended: readonly ChoiceRun[],
  { unmet, offer }: { unmet: IgnoredParameters; offer: Offer },
) {
  const { id, createdAt } = ended[0]!.run;
  return {
    id: idOf(id),
    object: "chat.completion",
    created: Math.floor(createdAt / 1000),
    model: body.model,
    choices: ended.map((one) => choiceOf(one, offer)),
    usage: toUsage(ended.map(({ run }) => run)),
    bottega: asidesOf(ended, { unmet, offer }),
  };
}

/** Yields the answers chunk by chunk as they arrive, then their usage if requested, and [DONE]. */
async function* chunksOf(
  deps: ServerDeps,
  asking: Asking,
  body: ChatBody,
  runs: readonly Run[],
  { unmet, offer }: { unmet: IgnoredParameters; offer: Offer },
): AsyncGenerator<StreamedEvent> {
  const head = {
    id: idOf(runs[0]!.id),
    object: "chat.completion.chunk",
    created: Math.floor(runs[0]!.createdAt / 1000),
    model: body.model,
  };
  const withUsage = body.stream_options?.include_usage === true;
  const chunk = (choices: object[], rest: object = {}): StreamedEvent => ({
    payload: { ...head, choices, ...(withUsage && { usage: null }), ...rest },
  });
  const ended: OwnedRun[] = [];
  async function* answer({ id }: Run, index: number): AsyncGenerator<StreamedEvent> {
    let hasBegun = false;
    const delta = (given: object, logprobs: object | null = null): StreamedEvent => {
      const first = hasBegun ? {} : { role: "assistant" };
      hasBegun = true;
      return chunk([{ index, delta: { ...first, ...given }, logprobs, finish_reason: null }]);
    };
    const calls = createSentCalls();
    for await (const event of followToAnswer(deps, asking, id, { isAppended: true })) {
      for (const { type, text } of textDeltasIn(event))
        yield delta(type === "text" ? { content: text } : { reasoning_content: text });
      const piece = isStreamed(event, offer) ? calls.take(event) : undefined;
      if (piece) yield delta(callDelta(id, piece, offer));
    }
    const run = await successOf(deps, id);
    ended.push(run);
    const whole = answerOf(run);
    const { toolCalls, finishReason, logprobs } = whole;
    if (whole.pages.length > 0) yield delta(notesOf(whole));
    // They are known at the end. Clients collect them, whichever chunk contains them.
    if (logprobs) yield delta({}, logprobs);
    for (const [place, call] of (offer.asFunction ? toolCalls.slice(0, 1) : toolCalls).entries()) {
      const rest = calls.restOf(call, place, writtenFor(call, offer));
      if (rest.isFirst || rest.text !== "") yield delta(callDelta(id, rest, offer));
    }
    if (!hasBegun) yield delta({ content: "" });
    yield chunk(
      [{ index, delta: {}, logprobs: null, finish_reason: finishOf(finishReason, offer) }],
      {
        bottega: asideOf(run, offer, unmet),
      },
    );
  }
  yield* together(runs.map(answer));
  if (withUsage) yield chunk([], { usage: toUsage(ended) });
  yield { raw: "[DONE]" };
}

/**
 * `afterCall`: the model had begun to write a call before it. `citations` are those of the block
 * that ends with it.
 */
type TextDelta = {
  type: "text" | "reasoning";
  text: string;
  afterCall?: boolean;
  citations?: JsonObject[];
};

/**
 * Returns the words in an event of a run; for a run that ended long ago, all at once. Only readers
 * of blocks get the citations that end one, which may come without words.
 */
export function textDeltasIn(
  event: StreamedEvent,
  { readsBlocks = false }: { readsBlocks?: boolean } = {},
): readonly TextDelta[] {
  const {
    text,
    afterCall,
    citations,
    parts = [],
    run,
  } = ("payload" in event ? event.payload : {}) as {
    text?: string;
    afterCall?: true;
    citations?: JsonObject[];
    parts?: MessagePart[];
    run?: Pick<Run, "result">;
  };
  const after = afterCall && { afterCall };
  const ends = readsBlocks && citations && { citations };
  if (event.type === "text-delta" && (text || ends))
    return [{ type: "text", text: text ?? "", ...after, ...ends }];
  if (event.type === "reasoning-delta" && text) return [{ type: "reasoning", text, ...after }];
  if (event.type !== "snapshot") return [];
  return parts.flatMap((part): TextDelta[] => {
    if (part.type === "reasoning") return [{ type: part.type, text: part.text }];
    if (part.type !== "text") return [];
    if (!readsBlocks) return [{ type: part.type, text: part.text }];
    const { textBlocks = [] } = (run?.result ?? {}) as { textBlocks?: TextBlock[] };
    return blocksOf(part.text, textBlocks).map((block) => ({ type: part.type, ...block }));
  });
}

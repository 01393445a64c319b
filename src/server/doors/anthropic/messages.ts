import type { RunEventPayloads } from "#contract/events.ts";
import type { JsonObject } from "#contract/json.ts";
import { type MessageBody, messageParameters } from "#contract/schemas/doors/anthropic.ts";
import { furtherParameters } from "#contract/schemas/doors/openai.ts";
import type { FinishReason, ToolCall } from "#engine/plan/turns.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { ServerDeps } from "../../deps.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import { answerOf, textDeltasIn } from "../openai/chat.ts";
import { askModel, findChatModel } from "../programs/ask.ts";
import { callIdOf, writtenInput } from "../programs/earlier-answers.ts";
import {
  type Asking,
  endOf,
  extraFields,
  followToAnswer,
  headersOf,
  type IgnoredParameters,
  successOf,
  usageOf,
} from "../programs/follow.ts";
import { type CallPiece, createSentCalls } from "../programs/sent-calls.ts";
import { answerGone, streamOf } from "../programs/stream.ts";
import { onProblem } from "./errors.ts";
import { droppedWithin, formatOf, readTools, thinkingFor, toChoice } from "./question.ts";
import { signatureOf } from "./signature.ts";
import { type CitedTitles, titlesToCite, turnsOfMessages } from "./turns.ts";

/** POST /v1/messages (https://docs.claude.com/en/api/messages). */
export async function createMessage(
  deps: ServerDeps,
  asking: Asking,
  body: MessageBody,
): Promise<Response> {
  const model = await findChatModel(deps, asking, body.model);
  const { definitions, dropped: droppedTools } = readTools(body.tools ?? []);
  const toolChoice = toChoice(body, definitions);
  const canCite = deps.kinds.get(model.connectionKind)?.citesDocuments === true;
  const { tool_choice: choice } = body;
  const format = formatOf(body);
  const cited = canCite && !format ? titlesToCite(body.messages) : undefined;
  const thinking = thinkingFor(model, body);
  const droppedBlocks: string[] = [];
  const isOneCall =
    choice && "disable_parallel_tool_use" in choice && choice.disable_parallel_tool_use === true;
  const { run, dropped: lacking } = await askModel(deps, asking, model, {
    turns: () =>
      turnsOfMessages(deps, asking, body, {
        cites: cited !== undefined,
        drop: (name) => droppedBlocks.push(name),
      }),
    settings: [
      { ours: "maxOutputTokens", theirs: "max_tokens", value: body.max_tokens },
      { ours: "temperature", theirs: "temperature", value: body.temperature },
      { ours: "topP", theirs: "top_p", value: body.top_p },
      { ours: "stop", theirs: "stop_sequences", value: body.stop_sequences, isNeeded: true },
      { ours: "reasoningEffort", theirs: "thinking", value: thinking.effort },
    ],
    further: furtherParameters(
      {
        ...body,
        ...(isOneCall && { parallel_tool_calls: false }),
        // Anthropic's name for OpenAI's label.
        user: body.metadata?.user_id,
        ...(thinking.budget !== undefined && { thinking_budget: thinking.budget }),
      },
      messageParameters,
    ),
    tools: definitions,
    toolChoice,
    // Anthropic's API always enforces the schema.
    answerShape: format ? { name: "answer", schema: format.schema, strict: true } : undefined,
    request: body,
  });
  const dropped = [
    ...lacking,
    ...thinking.dropped,
    ...droppedWithin(body),
    ...droppedTools,
    ...droppedBlocks,
  ];
  const headers = { ...headersOf(run.id, dropped), "request-id": run.id };
  const unmet = { unused: [], dropped };
  if (body.stream)
    return streamOf(deps, asking, eventsOf(deps, asking, { body, cited }, run.id, unmet), {
      headers,
      onProblem,
      // Programs that break a silent stream count events, and no comments.
      keepAlive: () => [{ type: "ping", payload: { type: "ping" } }],
    });
  const ended = await endOf(deps, asking, run.id);
  if (!ended) return answerGone;
  return asking.c.json(messageOf({ body, cited }, ended, unmet), 200, headers);
}

const stopReasons: Record<FinishReason, string> = {
  stop: "end_turn",
  length: "max_tokens",
  "content-filter": "refusal",
  "tool-calls": "tool_use",
  other: "end_turn",
};

const frameOf = ({ model }: MessageBody, runId: string) => ({
  id: `msg_${runId}`,
  type: "message" as const,
  role: "assistant" as const,
  model,
  stop_sequence: null as string | null,
});

/** Why an answer ended. Only some services say which stop sequence it was. */
const stopOf = ({ finishReason, stopSequence }: ReturnType<typeof answerOf>) => ({
  stop_reason: stopSequence === null ? stopReasons[finishReason] : "stop_sequence",
  stop_sequence: stopSequence,
});

/** Counts input read from the provider's cache separately, as Anthropic does. */
function toUsage(run: Pick<OwnedRun, "usage" | "costMicros">) {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = usageOf(run);
  return {
    input_tokens: Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
  };
}

/**
 * Malformed input is passed on as it is, so that the tool refuses it instead of running without
 * input.
 */
const inputOf = ({ input, malformed }: ToolCall): object =>
  malformed === undefined ? input : { INVALID_JSON: malformed };
const toolUse = (runId: string, call: ToolCall, place: number) => ({
  type: "tool_use" as const,
  id: callIdOf(runId, place),
  name: call.name,
  input: inputOf(call),
});

/** The arguments of a call that isn't streamed: a program reads them once they are valid. */
const writtenFor = (call: ToolCall): string =>
  call.malformed === undefined ? writtenInput(call) : JSON.stringify(inputOf(call));

const isOfFirstCall = (event: StreamedEvent): boolean =>
  event.type === "arguments-delta" &&
  "payload" in event &&
  (event.payload as { call: number }).call === 0;

/**
 * Programs that didn't ask for thinking read the first block as text. The thinking stays with the
 * run.
 */
const showsThinking = ({ thinking }: MessageBody): boolean =>
  thinking !== undefined && thinking !== null && thinking.type !== "disabled";

/** Whether the program reads the thinking, and doesn't only return its signature. */
const readsThinking = ({ thinking }: MessageBody): boolean =>
  !(thinking && "display" in thinking && thinking.display === "omitted");

/** A request, and the titles of its documents if its answer cites them. */
type Asked = { body: MessageBody; cited: CitedTitles | undefined };

/** A document has the title of the request, not that of its file in the library. */
const toCitation = (citation: JsonObject, titles: CitedTitles): object => ({
  ...citation,
  document_title: titles[Number(citation.document_index)] ?? null,
});

/** Of a web page only the address is known, not the passage. */
const toPageCitation = (page: { url: string; title: string }): object => ({
  type: "web_search_result_location" as const,
  ...page,
  cited_text: "",
  encrypted_index: "",
});

type Answer = ReturnType<typeof answerOf>;
/** The page that an event names as a source. */
function pagesIn(event: StreamedEvent): Answer["pages"] {
  if (event.type !== "source" || !("payload" in event)) return [];
  const { url, title } = event.payload as RunEventPayloads["source"];
  return url === undefined ? [] : [{ url, title }];
}
/** A block of text, as Anthropic sends it: none is empty, and only a cited one has `citations`. */
function textBlocks({ text, blocks, pages }: Answer, titles: CitedTitles | undefined): object[] {
  const own = titles ? blocks : text === "" ? [] : [{ text, citations: [] }];
  return own.map(({ text, citations }, index) => {
    const all = [
      ...(titles ? citations.map((one) => toCitation(one, titles)) : []),
      ...(index === own.length - 1 ? pages.map(toPageCitation) : []),
    ];
    return { type: "text" as const, text, ...(all.length > 0 && { citations: all }) };
  });
}

function messageOf({ body, cited }: Asked, run: OwnedRun, unmet: IgnoredParameters) {
  const answer = answerOf(run);
  const { reasoning, toolCalls } = answer;
  return {
    ...frameOf(body, run.id),
    content: [
      ...(reasoning && showsThinking(body)
        ? [
            {
              type: "thinking" as const,
              thinking: readsThinking(body) ? reasoning : "",
              signature: signatureOf(run.id),
            },
          ]
        : []),
      ...textBlocks(answer, cited),
      ...toolCalls.map((call, index) => toolUse(run.id, call, index)),
    ],
    ...stopOf(answer),
    usage: toUsage(run),
    bottega: extraFields(run, unmet),
  };
}

/**
 * Yields the events of a message as it arrives
 * (https://docs.claude.com/en/docs/build-with-claude/streaming).
 */
async function* eventsOf(
  deps: ServerDeps,
  asking: Asking,
  { body, cited }: Asked,
  runId: string,
  unmet: IgnoredParameters,
): AsyncGenerator<StreamedEvent> {
  const event = (type: string, payload: object = {}): StreamedEvent => ({
    type,
    payload: { type, ...payload },
  });
  let blocks = 0;
  let isBegun = false;
  let open: "text" | "reasoning" | "call" | null = null;
  /** Text after the first call, which waits until that call's block may end. */
  let textAfter = "";
  const calls = createSentCalls();
  const isInCall = () => open === "call";
  const isInText = () => open === "text";
  function* begin(): Generator<StreamedEvent> {
    if (isBegun) return;
    isBegun = true;
    const usage = toUsage({ usage: null, costMicros: null });
    yield event("message_start", {
      message: { ...frameOf(body, runId), content: [], stop_reason: null, usage },
    });
  }
  const delta = (given: object): StreamedEvent =>
    event("content_block_delta", { index: blocks, delta: given });
  function* close(): Generator<StreamedEvent> {
    if (open === null) return;
    if (open === "reasoning")
      yield delta({ type: "signature_delta", signature: signatureOf(runId) });
    yield event("content_block_stop", { index: blocks++ });
    open = null;
  }
  function* callPiece({ place, name, text, isFirst }: CallPiece): Generator<StreamedEvent> {
    if (isFirst) {
      yield* begin();
      if (isInText()) yield* citePages(namedPages);
      yield* close();
      open = "call";
      yield event("content_block_start", {
        index: blocks,
        content_block: { type: "tool_use", id: callIdOf(runId, place), name, input: {} },
      });
    }
    if (text !== "") yield delta({ type: "input_json_delta", partial_json: text });
  }
  function* begun(type: "text" | "reasoning"): Generator<StreamedEvent> {
    yield* begin();
    if (open === type) return;
    yield* close();
    open = type;
    yield event("content_block_start", {
      index: blocks,
      content_block:
        type === "text"
          ? { type: "text", text: "" }
          : { type: "thinking", thinking: "", signature: "" },
    });
  }
  function* cite(citations: readonly object[]): Generator<StreamedEvent> {
    for (const citation of citations) yield delta({ type: "citations_delta", citation });
  }
  const namedPages: Answer["pages"] = [];
  let citedPages = 0;
  /** Pages that are named after the last block of text has ended stay with the run. */
  function* citePages(pages: Answer["pages"]): Generator<StreamedEvent> {
    yield* cite(pages.slice(citedPages).map(toPageCitation));
    citedPages = pages.length;
  }
  let hasText = false;
  const readsBlocks = cited !== undefined;
  const following = { isAppended: true, onlyStored: readsBlocks };
  for await (const news of followToAnswer(deps, asking, runId, following)) {
    // A block ends before the next one begins, and a call's block ends when the call is saved. So
    // only the first call is streamed, and none if the text is read in its blocks.
    const piece = isOfFirstCall(news) ? calls.take(news) : undefined;
    if (piece) yield* callPiece(piece);
    namedPages.push(...pagesIn(news));
    for (const { type, text, citations } of textDeltasIn(news, { readsBlocks })) {
      if (isInCall()) {
        if (type === "text") textAfter += text;
        continue;
      }
      // Thinking comes before the text in a message. Later thinking stays with the run.
      if (type === "reasoning" && (hasText || !showsThinking(body))) continue;
      hasText ||= type === "text";
      if (text !== "") yield* begun(type);
      if (type === "reasoning") {
        if (readsThinking(body)) yield delta({ type: "thinking_delta", thinking: text });
        continue;
      }
      if (text !== "") yield delta({ type: "text_delta", text });
      if (cited && citations && isInText()) {
        yield* cite(citations.map((one) => toCitation(one, cited)));
        yield* close();
      }
    }
  }
  const ended = await successOf(deps, runId);
  const answer = answerOf(ended);
  const { toolCalls } = answer;
  yield* begin();
  if (isInText()) yield* citePages(answer.pages);
  for (const [place, call] of toolCalls.entries()) {
    const whole = isInCall() ? writtenInput(call) : writtenFor(call);
    yield* callPiece(calls.restOf(call, place, whole));
    yield* close();
  }
  yield* close();
  if (textAfter !== "") {
    yield* begun("text");
    yield delta({ type: "text_delta", text: textAfter });
    yield* citePages(answer.pages);
    yield* close();
  }
  yield event("message_delta", {
    delta: stopOf(answer),
    usage: toUsage(ended),
    bottega: extraFields(ended, unmet),
  });
  yield event("message_stop");
}

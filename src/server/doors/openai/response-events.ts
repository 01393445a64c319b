import type { Problem } from "#contract/errors.ts";
import type { ServerDeps } from "../../deps.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import {
  type Asking,
  followToAnswer,
  type IgnoredParameters,
  replaced,
  successOf,
} from "../programs/follow.ts";
import { type CallPiece, createSentCalls } from "../programs/sent-calls.ts";
import { answerOf, textDeltasIn } from "./chat.ts";
import { toOpenAiError } from "./errors.ts";
import { itemIdOf } from "./item-ids.ts";
import {
  type AskedResponse,
  callItem,
  frameOf,
  inputOf,
  messageItem,
  reasoningItem,
  responseOf,
  type Started,
  startedCall,
  type TextExtras,
  textExtrasOf,
  textOf,
} from "./response-object.ts";
import type { OfferedTool } from "./tools.ts";

/**
 * Numbers the events of one response. Text counts by its characters: however it is split, the same
 * position in an answer has the same number, so that a stream can be resumed after it.
 */
export function createEvents() {
  let number = -1;
  let first = 0;
  /** The first two events are the same for every attempt. */
  const advance = (by: number): void => {
    number = (number < 1 ? number : Math.max(number, first)) + by;
  };
  const toEvent = (type: string, payload: object): StreamedEvent => ({
    type,
    payload: { type, sequence_number: number, ...payload },
  });
  return {
    isBegun: () => number >= 0,
    /**
     * Sets the attempt that the next events belong to. Each attempt has numbers of its own, so that
     * a stream isn't resumed in another one.
     */
    setAttempt(attempt: number): void {
      first = (attempt - 1) * numbersPerAttempt;
    },
    /** Whether a number belongs to the output of an earlier attempt. */
    isReplaced: (seen: number): boolean => seen > 1 && seen < first,
    next(type: string, payload: object = {}): StreamedEvent {
      advance(1);
      return toEvent(type, payload);
    },
    words(type: WordsEvent, payload: object, delta: string): StreamedEvent {
      advance(delta.length);
      return toEvent(type, { ...payload, delta });
    },
    /** A keep-alive event, which takes no number because its time is arbitrary. */
    keepAlive: (): StreamedEvent => toEvent("keepalive", {}),
  };
}
type Events = ReturnType<typeof createEvents>;
/** More than an answer has characters. Numbers of 511 attempts fit into 31 bits. */
const numbersPerAttempt = 2 ** 22;
const wordsEvents = [
  "response.output_text.delta",
  "response.reasoning_summary_text.delta",
  "response.function_call_arguments.delta",
  "response.custom_tool_call_input.delta",
] as const;
type WordsEvent = (typeof wordsEvents)[number];

/**
 * Yields the events after one that the program has seen. Of text that it has seen in part, the
 * rest.
 * @throws Problem when another attempt has replaced the one that the program has seen
 */
export async function* eventsAfter(
  all: AsyncGenerator<StreamedEvent>,
  startingAfter: number,
  events: Events,
  runId: string,
): AsyncGenerator<StreamedEvent> {
  for await (const event of all) {
    if (events.isReplaced(startingAfter)) throw replaced(runId);
    const payload = ("payload" in event ? event.payload : {}) as Numbered;
    if (payload.sequence_number <= startingAfter) continue;
    const { delta } = payload;
    const seen =
      delta !== undefined && wordsEvents.some((type) => type === event.type)
        ? startingAfter - (payload.sequence_number - delta.length)
        : 0;
    yield seen > 0 ? { ...event, payload: { ...payload, delta: delta!.slice(seen) } } : event;
  }
}
type Numbered = { sequence_number: number; delta?: string };

/**
 * The last event of a failed response. OpenAI's client reads `error` of any event; Codex reads only
 * events with a type.
 */
export function failedEvent(
  events: Events,
  body: AskedResponse,
  run: Started,
  problem: Problem,
): StreamedEvent {
  const { error } = toOpenAiError(problem);
  const { code, message } = error;
  const response = { ...frameOf(body, run), status: "failed", error: { code, message } };
  return events.next("response.failed", { error, response });
}

/** Yields the numbered events of a response as it arrives. */
export async function* eventsOf(
  deps: ServerDeps,
  asking: Asking,
  body: AskedResponse,
  run: Started,
  {
    unmet,
    offered,
    events,
  }: { unmet: IgnoredParameters; offered: ReadonlyMap<string, OfferedTool>; events: Events },
): AsyncGenerator<StreamedEvent> {
  const event = events.next;
  let text = "";
  let thought = "";
  let items = 0;
  /** The open item and its index. A message stays open until the end, also next to calls. */
  let open: { type: "text" | "reasoning"; index: number } | null = null;
  /** Text after the first call: a stream that is resumed has the same order. */
  let textAfter = "";
  const calls = createSentCalls();
  const callIndexes: number[] = [];
  const at = (index: number) => ({
    item_id: itemIdOf("msg", run.id),
    output_index: index,
    content_index: 0,
  });
  const thoughtAt = (index: number) => ({
    item_id: itemIdOf("rs", run.id),
    output_index: index,
    summary_index: 0,
  });

  function* begin(): Generator<StreamedEvent> {
    if (events.isBegun()) return;
    yield event("response.created", { response: frameOf(body, run) });
    yield event("response.in_progress", { response: frameOf(body, run) });
  }
  /** @param extras those of the answer's text, which arrive at its end */
  function* close(
    extras: TextExtras = { logprobs: [], annotations: [] },
  ): Generator<StreamedEvent> {
    if (open === null) return;
    const { type, index } = open;
    open = null;
    if (type === "text") {
      const { logprobs, annotations } = extras;
      for (const [i, annotation] of annotations.entries())
        yield event("response.output_text.annotation.added", {
          ...at(index),
          annotation_index: i,
          annotation,
        });
      yield event("response.output_text.done", { ...at(index), text, logprobs });
      yield event("response.content_part.done", { ...at(index), part: textOf(text, extras) });
      yield event("response.output_item.done", {
        output_index: index,
        item: messageItem(run.id, text, "completed", extras),
      });
    } else {
      yield event("response.reasoning_summary_text.done", { ...thoughtAt(index), text: thought });
      yield event("response.reasoning_summary_part.done", {
        ...thoughtAt(index),
        part: { type: "summary_text", text: thought },
      });
      yield event("response.output_item.done", {
        output_index: index,
        item: reasoningItem(body, run.id, thought),
      });
    }
  }
  function* begun(type: "text" | "reasoning"): Generator<StreamedEvent, number> {
    if (open?.type === type) return open.index;
    yield* close();
    const index = items++;
    open = { type, index };
    if (type === "text") {
      yield event("response.output_item.added", {
        output_index: index,
        item: messageItem(run.id, "", "in_progress"),
      });
      yield event("response.content_part.added", { ...at(index), part: textOf("") });
    } else {
      yield event("response.output_item.added", {
        output_index: index,
        item: { ...reasoningItem(body, run.id, ""), summary: [], status: "in_progress" },
      });
      yield event("response.reasoning_summary_part.added", {
        ...thoughtAt(index),
        part: { type: "summary_text", text: "" },
      });
    }
    return index;
  }
  function* textDelta(delta: string): Generator<StreamedEvent> {
    const index = yield* begun("text");
    text += delta;
    yield events.words("response.output_text.delta", { ...at(index), logprobs: [] }, delta);
  }
  function* callPiece({ place, name, text, isFirst }: CallPiece): Generator<StreamedEvent> {
    const item = startedCall(run.id, name, place, offered);
    if (isFirst) {
      if (open?.type === "reasoning") yield* close();
      callIndexes[place] = items++;
      yield event("response.output_item.added", { output_index: callIndexes[place], item });
    }
    const type =
      item.type === "custom_tool_call"
        ? "response.custom_tool_call_input.delta"
        : "response.function_call_arguments.delta";
    if (text !== "")
      yield events.words(type, { item_id: item.id, output_index: callIndexes[place] }, text);
  }

  // A background answer may start much later, and its program needs the id now.
  if (asking.isBackground) yield* begin();
  for await (const news of followToAnswer(deps, asking, run.id, { isAppended: true })) {
    const attempt = attemptOf(news, run);
    if (attempt !== undefined) events.setAttempt(attempt);
    const piece = isFunction(news, offered) ? calls.take(news) : undefined;
    if (piece) for (const part of [...begin(), ...callPiece(piece)]) yield part;
    for (const part of textDeltasIn(news)) {
      if (part.type === "text" && part.afterCall) textAfter += part.text;
      // Text comes after all thinking. Later thinking is added at the end, without being streamed.
      if (part.afterCall || (part.type === "reasoning" && text !== "")) continue;
      yield* begin();
      if (part.type === "text") yield* textDelta(part.text);
      else {
        const index = yield* begun("reasoning");
        thought += part.text;
        yield events.words("response.reasoning_summary_text.delta", thoughtAt(index), part.text);
      }
    }
  }
  const ended = await successOf(deps, run.id);
  yield* begin();
  const answer = answerOf(ended);
  const { toolCalls } = answer;
  const ends = toolCalls.map((call, place) => callItem(run.id, call, place, offered));
  for (const [place, call] of toolCalls.entries())
    yield* callPiece(calls.restOf(call, place, inputOf(ends[place]!)));
  if (textAfter !== "") yield* textDelta(textAfter);
  if (text === "" && toolCalls.length === 0) yield* begun("text");
  yield* close(textExtrasOf(answer));
  for (const [place, item] of ends.entries()) {
    const of = { item_id: item.id, output_index: callIndexes[place] };
    yield item.type === "custom_tool_call"
      ? event("response.custom_tool_call_input.done", { ...of, input: item.input })
      : event("response.function_call_arguments.done", {
          ...of,
          name: item.name,
          arguments: item.arguments,
        });
    yield event("response.output_item.done", { output_index: callIndexes[place], item });
  }
  const response = responseOf(body, ended, unmet);
  yield event(`response.${response.status}`, { response });
}

/** The attempt that an event begins; a stream that is read long after the run has only the last. */
function attemptOf(event: StreamedEvent, { attempts }: Started): number | undefined {
  if (event.type === "snapshot") return attempts;
  return event.type === "run-started" && "payload" in event
    ? (event.payload as { attempt: number }).attempt
    : undefined;
}

/** Whether an event has arguments of a function. A free-text tool's text needs the whole call. */
const isFunction = (event: StreamedEvent, offered: ReadonlyMap<string, OfferedTool>): boolean =>
  event.type === "arguments-delta" &&
  "payload" in event &&
  offered.get((event.payload as { name: string }).name)?.type !== "custom";

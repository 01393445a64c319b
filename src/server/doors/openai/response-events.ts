import type { Problem } from "#contract/errors.ts";
import type { ServerDeps } from "../../deps.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import {
  type Asking,
  followToAnswer,
  type IgnoredParameters,
  successOf,
} from "../programs/follow.ts";
import { answerOf, textDeltasIn } from "./chat.ts";
import { toOpenAiError } from "./errors.ts";
import { itemIdOf } from "./item-ids.ts";
import {
  type AskedResponse,
  callItem,
  frameOf,
  messageItem,
  reasoningItem,
  responseOf,
  type Started,
  textOf,
} from "./response-object.ts";
import type { OfferedTool } from "./tools.ts";

/**
 * Numbers the events of one response. Text counts by its characters: however it is split, the same
 * position in an answer has the same number, so that a stream can be resumed after it.
 */
export function createEvents() {
  let number = -1;
  const toEvent = (type: string, payload: object): StreamedEvent => ({
    type,
    payload: { type, sequence_number: number, ...payload },
  });
  return {
    isBegun: () => number >= 0,
    next(type: string, payload: object = {}): StreamedEvent {
      number += 1;
      return toEvent(type, payload);
    },
    words(type: WordsEvent, payload: object, delta: string): StreamedEvent {
      number += delta.length;
      return toEvent(type, { ...payload, delta });
    },
    /** A keep-alive event, which takes no number because its time is arbitrary. */
    keepAlive: (): StreamedEvent => toEvent("keepalive", {}),
  };
}
type Events = ReturnType<typeof createEvents>;
const wordsEvents = [
  "response.output_text.delta",
  "response.reasoning_summary_text.delta",
] as const;
type WordsEvent = (typeof wordsEvents)[number];

/**
 * Yields the events after one that the program has seen. Of text that it has seen in part, the
 * rest.
 */
export async function* eventsAfter(
  events: AsyncGenerator<StreamedEvent>,
  startingAfter: number,
): AsyncGenerator<StreamedEvent> {
  for await (const event of events) {
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
  let isOpen: "text" | "reasoning" | null = null;
  const at = () => ({ item_id: itemIdOf("msg", run.id), output_index: items, content_index: 0 });
  const thoughtAt = () => ({
    item_id: itemIdOf("rs", run.id),
    output_index: items,
    summary_index: 0,
  });

  function* begin(): Generator<StreamedEvent> {
    if (events.isBegun()) return;
    yield event("response.created", { response: frameOf(body, run) });
    yield event("response.in_progress", { response: frameOf(body, run) });
  }
  /** @param logprobs those of the answer's text, which arrive at its end */
  function* close(logprobs: readonly object[] = []): Generator<StreamedEvent> {
    if (isOpen === "text") {
      yield event("response.output_text.done", { ...at(), text: text, logprobs });
      yield event("response.content_part.done", { ...at(), part: textOf(text, logprobs) });
      yield event("response.output_item.done", {
        output_index: items,
        item: messageItem(run.id, text, "completed", logprobs),
      });
    }
    if (isOpen === "reasoning") {
      yield event("response.reasoning_summary_text.done", { ...thoughtAt(), text: thought });
      yield event("response.reasoning_summary_part.done", {
        ...thoughtAt(),
        part: { type: "summary_text", text: thought },
      });
      yield event("response.output_item.done", {
        output_index: items,
        item: reasoningItem(body, run.id, thought),
      });
    }
    if (isOpen !== null) items += 1;
    isOpen = null;
  }
  function* open(type: "text" | "reasoning"): Generator<StreamedEvent> {
    if (isOpen === type) return;
    yield* close();
    isOpen = type;
    if (type === "text") {
      yield event("response.output_item.added", {
        output_index: items,
        item: messageItem(run.id, "", "in_progress"),
      });
      yield event("response.content_part.added", { ...at(), part: textOf("") });
    } else {
      yield event("response.output_item.added", {
        output_index: items,
        item: { ...reasoningItem(body, run.id, ""), summary: [], status: "in_progress" },
      });
      yield event("response.reasoning_summary_part.added", {
        ...thoughtAt(),
        part: { type: "summary_text", text: "" },
      });
    }
  }

  // A background answer may start much later, and its program needs the id now.
  if (asking.isBackground) yield* begin();
  for await (const news of followToAnswer(deps, asking, run.id))
    for (const part of textDeltasIn(news)) {
      // Text comes after all thinking. Later thinking is added at the end, without being streamed.
      if (part.type === "reasoning" && text !== "") continue;
      for (const begun of [...begin(), ...open(part.type)]) yield begun;
      if (part.type === "text") {
        text += part.text;
        yield events.words("response.output_text.delta", { ...at(), logprobs: [] }, part.text);
      } else {
        thought += part.text;
        yield events.words("response.reasoning_summary_text.delta", thoughtAt(), part.text);
      }
    }
  const ended = await successOf(deps, run.id);
  yield* begin();
  const { toolCalls, logprobs } = answerOf(ended);
  if (text === "" && toolCalls.length === 0) yield* open("text");
  yield* close(logprobs?.content);
  for (const [i, call] of toolCalls.entries()) {
    const item = callItem(run.id, call, i, offered);
    const of = { item_id: item.id, output_index: items };
    if (item.type === "custom_tool_call") {
      yield event("response.output_item.added", {
        output_index: items,
        item: { ...item, input: "", status: "in_progress" },
      });
      yield event("response.custom_tool_call_input.delta", { ...of, delta: item.input });
      yield event("response.custom_tool_call_input.done", { ...of, input: item.input });
    } else {
      yield event("response.output_item.added", {
        output_index: items,
        item: { ...item, arguments: "", status: "in_progress" },
      });
      yield event("response.function_call_arguments.delta", { ...of, delta: item.arguments });
      yield event("response.function_call_arguments.done", {
        ...of,
        name: item.name,
        arguments: item.arguments,
      });
    }
    yield event("response.output_item.done", { output_index: items, item });
    items += 1;
  }
  const response = responseOf(body, ended, unmet);
  yield event(`response.${response.status}`, { response });
}

import type { MessagePart, Run, RunEvent } from "#contract/entities.ts";
import type { RunEventPayloads } from "#contract/events.ts";
import type { JsonObject } from "#contract/json.ts";
import { newText } from "#contract/live-text.ts";
import type { Actor } from "#domain/people/policy.ts";
import { batchOf } from "#domain/runs/embedding-batch.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import type { LivePiece, TopicNews } from "#engine/hub.ts";
import { readWithRetry } from "#engine/persist.ts";
import { turnsOf } from "#engine/plan/turns.ts";
import { findMessage } from "#store/content/conversations.ts";
import type { Reader } from "#store/database/store.ts";
import { getPruning, listRunEvents } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun, getRunStanding } from "#store/runs/runs.ts";
import { runHint } from "#store/runs/unit.ts";
import type { ServerDeps } from "../deps.ts";
import { watchRights } from "../still-allowed.ts";
import type { StreamedEvent } from "./event-stream.ts";

export const eventsPage = 200;

/** Returns a run without the engine's internal fields. */
export function shownRun(run: OwnedRun) {
  const {
    fence: _,
    attempts: __,
    probes: ____________,
    requestHash: ___,
    idempotencyScope: ________,
    idempotencyKey: __________,
    notBefore: ____,
    apiKeyId: _____,
    workerId: ______,
    prices: _______,
    nextModels: _________,
    asked: ___________,
    ...shown
  } = run;
  return shown;
}

/** Returns the parts of an answer that is in no conversation. */
export const partsKeptBy = (run: Pick<OwnedRun, "result">): MessagePart[] => {
  const parts = run.result?.parts;
  return Array.isArray(parts) ? (parts as MessagePart[]) : [];
};

/**
 * Returns an event for everyone who sees the run. Only people who manage aliases see an alias's
 * models, and only the tool sees a person's answer to its question.
 */
export function shownEvent<Event extends Pick<RunEvent, "type" | "payload">>(event: Event): Event {
  if (event.type === "question-answered") {
    const { id, action } = event.payload as RunEventPayloads["question-answered"];
    return { ...event, payload: { id, action } };
  }
  if (event.type !== "model-passed-over") return event;
  const { alias, reason, costMicros, costBasis } =
    event.payload as RunEventPayloads["model-passed-over"];
  return {
    ...event,
    payload: { alias, reason, ...(costMicros !== undefined && { costMicros, costBasis }) },
  };
}

const listedCharacters = 500;

function withOneInput(run: Run): Run {
  const batch = batchOf(run.task, run.input as JsonObject);
  if (!batch) return run;
  const [first] = batch;
  const text = typeof first === "string" ? first.slice(0, listedCharacters) : "";
  return { ...run, input: { ...(run.input as JsonObject), input: text } };
}

/**
 * Returns a run for lists: for a conversation sent by a program only the last question, without the
 * answer; for several texts the start of the first one.
 */
export function listedRun(run: Run): Run {
  const given = turnsOf(run.input);
  if (!given) return withOneInput(run);
  const last = given.turns.findLast(({ role }) => role === "user")?.parts ?? [];
  const text = last.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const { parts: _, logprobs: __, textBlocks: ___, ...result } = run.result ?? {};
  const turns = [
    { role: "user", parts: [{ type: "text", text: text.slice(0, listedCharacters) }] },
  ];
  return { ...run, input: { turns, settings: given.settings }, result: run.result && result };
}

/**
 * Returns a snapshot for a reader whose cursor is older than the stored events: an hour after a
 * run's end, its deltas exist only in its message, as long as the conversation keeps that.
 * @returns undefined when all events after the cursor are still stored
 */
export async function snapshotAfter(
  db: Reader,
  runId: string,
  after: number,
): Promise<{ seq: number; run: object; parts: unknown[] } | undefined> {
  const kept = await getPruning(db, runId);
  if (!kept?.isPruned || after >= kept.lastSeq) return undefined;
  const run = await getRun(db, runId);
  if (!run) return undefined;
  const message = run.messageId ? await findMessage(db, run.messageId) : undefined;
  return { seq: run.lastSeq, run: shownRun(run), parts: message?.parts ?? partsKeptBy(run) };
}

/** Nothing follows this event, unless the run was unconfirmed and resumes. */
export const isEnd = ({ type }: Pick<RunEvent, "type">): boolean => type === "run-settled";

/**
 * The most news queued for a reader who is slower than the run. Beyond that, the rows are read
 * again at the reader's pace.
 */
const maxNews = 64;

/**
 * Tracks which output of the run's current attempt was sent to a reader. For a reader with a
 * cursor, that is unknown until the next stored delta.
 */
function createSentTracker(isFromStart: boolean) {
  let attempt: number | undefined;
  let has = new Map<string, number>();
  let hasAny = false;
  const textTypes = ["text-delta", "reasoning-delta"];
  const begin = (): void => {
    has = new Map(textTypes.map((type) => [type, 0]));
    hasAny = false;
  };
  if (isFromStart) begin();
  return {
    /** Whether the reader has output of the current attempt. */
    hasAny: () => hasAny,
    /** Whether the run's later attempts have replaced the current one. */
    isReplaced: (attempts: number): boolean => attempt !== undefined && attempt < attempts,
    /**
     * Returns the new part of a piece that isn't stored; undefined if there is none, or when a part
     * before it is missing.
     */
    piece({ attempt: of, ...piece }: LivePiece): StreamedEvent | undefined {
      if (attempt !== undefined && of !== attempt) return undefined;
      const isCall = piece.type === "arguments-delta";
      const name = isCall ? `call ${piece.call}` : piece.type;
      const before = has.get(name) ?? (isCall ? 0 : undefined);
      const text = before === undefined ? undefined : newText(piece, before);
      // The first piece of a call may only have its name.
      if (text === undefined || (text === "" && !(isCall && !has.has(name)))) return undefined;
      has.set(name, piece.offset + piece.text.length);
      hasAny = true;
      if (isCall)
        return {
          type: piece.type,
          payload: { call: piece.call, name: piece.name, offset: before!, text },
        };
      const { type, offset, afterCall } = piece;
      return { type, payload: { text, offset, ...(afterCall && { afterCall }) } };
    },
    /** Returns the payload of a stored event without the words already sent. */
    payload({ type, payload }: Pick<RunEvent, "type" | "payload">): RunEvent["payload"] {
      if (type === "run-started") {
        ({ attempt } = payload as RunEventPayloads["run-started"]);
        begin();
      }
      if (!isDelta({ type })) return payload;
      hasAny = true;
      const delta = payload as RunEventPayloads["text-delta"];
      if (delta.offset === undefined) return payload;
      const before = has.get(type) ?? delta.offset;
      has.set(type, Math.max(before, delta.offset + delta.text.length));
      return { ...delta, text: newText(delta, before) ?? delta.text };
    },
  };
}

const isDelta = ({ type }: Pick<RunEvent, "type">): boolean =>
  type === "text-delta" || type === "reasoning-delta";

/** A reader has output of an attempt that was lost and that another attempt follows. */
export class AttemptReplaced extends Error {}

/**
 * Yields a run's events from a cursor to its end, first stored and then new ones, without gaps or
 * duplicates. Words are sent as they arrive, without an id, and the stored delta then contains only
 * the part that wasn't sent. The gate has admitted the reader; `mayStill` is checked before the
 * next event when the reader's rights may have changed.
 *
 * A reader that `isAppended` can't take anything back: of attempts that were replaced before it
 * came, it gets no text. It also gets the arguments of tool calls as they arrive. One that reads
 * `onlyStored` text gets it with the ends of its blocks, once it is written.
 *
 * @throws AttemptReplaced if it has output of an attempt that another attempt follows
 */
export async function* followRunEvents(
  deps: Pick<ServerDeps, "store" | "hub" | "clock" | "log">,
  runId: string,
  after: number,
  rights: { actor: Actor; mayStill: () => Promise<boolean> },
  signal: AbortSignal,
  {
    isOver = ({ state }) => isFinal(state),
    isAppended = false,
    onlyStored = false,
  }: {
    isOver?: (run: Pick<Run, "state">) => boolean;
    isAppended?: boolean;
    onlyStored?: boolean;
  } = {},
): AsyncGenerator<StreamedEvent> {
  // A database restart ends no stream: the reader gets the rest once the database is back.
  const ask = <T>(read: () => Promise<T>): Promise<T> => readWithRetry(deps, signal, read);
  const sent = createSentTracker(after === 0);
  let wake: () => void = () => undefined;
  let news: TopicNews[] = [];
  let mustRead = true;
  let isInDoubt = false;
  let attempts = 0;
  const isWanted = ({ type }: LivePiece): boolean =>
    !onlyStored && (isAppended || type !== "arguments-delta");
  const onNews = (one: TopicNews): void => {
    if (one.words && !isWanted(one.words)) return;
    if (!one.words && !one.events) mustRead = true;
    else if (news.push(one) > maxNews) {
      news = [];
      mustRead = true;
    }
    wake();
  };
  const onRights = (): void => {
    isInDoubt = true;
    wake();
  };
  const unsubscribe = [
    deps.hub.subscribe(runHint(runId), onNews),
    watchRights(deps, rights.actor, onRights),
  ];
  const onAbort = (): void => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const snapshot = await ask(() => snapshotAfter(deps.store.read, runId, after));
    if (snapshot) {
      yield { id: snapshot.seq, type: "snapshot", payload: snapshot };
      after = snapshot.seq;
    }
    while (!signal.aborted) {
      if (isInDoubt) {
        isInDoubt = false;
        if (!(await ask(rights.mayStill))) return;
      }
      const isRead: boolean = mustRead;
      const next: TopicNews | undefined = isRead ? undefined : news.shift();
      let events: readonly RunEvent[] = next?.events ?? [];
      if (isRead) {
        mustRead = false;
        events = await ask(() => listRunEvents(deps.store.read, runId, after, eventsPage));
        mustRead ||= events.length === eventsPage;
        if (isAppended && events.some(isDelta))
          attempts = (await ask(() => getRunStanding(deps.store.read, runId)))?.attempts ?? 0;
        if (!mustRead && !events.some(isEnd))
          news.push(
            ...deps.hub
              .unwritten(runId)
              .filter(isWanted)
              .map((words) => ({ words })),
          );
      } else if (!next) {
        if (!isInDoubt) await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      if (next?.words) {
        const piece = sent.piece(next.words);
        if (piece) yield piece;
      }
      if (next?.events && next.events[0]!.seq > after + 1) {
        mustRead = true;
        continue;
      }
      for (const event of events.filter(({ seq }) => seq > after)) {
        if (isAppended && event.type === "run-started" && sent.hasAny())
          throw new AttemptReplaced();
        if (!(isDelta(event) && sent.isReplaced(attempts)))
          yield { id: event.seq, type: event.type, payload: sent.payload(shownEvent(event)) };
        after = event.seq;
      }
      if (mustRead || !(isRead || events.some(({ type }) => type.startsWith("run-")))) continue;
      const now = await ask(() => getRunStanding(deps.store.read, runId));
      if (!now || (isOver(now) && after >= now.lastSeq)) return;
    }
  } finally {
    for (const end of unsubscribe) end();
    signal.removeEventListener("abort", onAbort);
  }
}

import type { MessagePart, Run, RunEvent } from "#contract/entities.ts";
import type { RunEventPayloads } from "#contract/events.ts";
import type { Actor } from "#domain/people/policy.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { readWithRetry } from "#engine/persist.ts";
import { turnsOf } from "#engine/plan/turns.ts";
import { getMessage } from "#store/content/conversations.ts";
import type { Reader } from "#store/database/store.ts";
import { getPruning, listRunEvents } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { runHint } from "#store/runs/unit.ts";
import type { ServerDeps } from "../deps.ts";
import { watchRights } from "../still-allowed.ts";
import type { StreamedEvent } from "./event-stream.ts";

export const eventsPage = 200;

/** A run's own columns, without what only the engine needs. */
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

/** The words of an answer that is in no conversation. */
export const partsKeptBy = (run: Pick<OwnedRun, "result">): MessagePart[] => {
  const parts = run.result?.parts;
  return Array.isArray(parts) ? (parts as MessagePart[]) : [];
};

/** An event for everyone who sees the run. The models of an alias are only for those who manage aliases. */
export function shownEvent<Event extends Pick<RunEvent, "type" | "payload">>(event: Event): Event {
  if (event.type !== "model-passed-over") return event;
  const { alias, reason, costMicros, costBasis } =
    event.payload as RunEventPayloads["model-passed-over"];
  return {
    ...event,
    payload: { alias, reason, ...(costMicros !== undefined && { costMicros, costBasis }) },
  };
}

const listedCharacters = 500;

/** As lists show it: of a conversation that a program brought along only what was asked last, and not what was answered. */
export function listedRun(run: Run): Run {
  const given = turnsOf(run.input);
  if (!given) return run;
  const last = given.turns.findLast(({ role }) => role === "user")?.parts ?? [];
  const text = last.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const { parts: _, ...result } = run.result ?? {};
  const turns = [
    { role: "user", parts: [{ type: "text", text: text.slice(0, listedCharacters) }] },
  ];
  return { ...run, input: { turns, settings: given.settings }, result: run.result && result };
}

/**
 * For a reader whose cursor is older than what is kept: an hour after a run's end its deltas live on in its message alone.
 * @returns undefined when every event after the cursor is still there
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
  const message = run.messageId ? await getMessage(db, run.messageId) : undefined;
  return { seq: run.lastSeq, run: shownRun(run), parts: message?.parts ?? partsKeptBy(run) };
}

/**
 * A run's events from a cursor to its end: the stored ones first, then each new one; no gap, nothing twice. The gate has
 * let the reader in; `mayStill` is asked again when their rights may have changed, before another event is sent.
 */
export async function* followRunEvents(
  deps: Pick<ServerDeps, "store" | "hub" | "clock" | "log">,
  runId: string,
  after: number,
  rights: { actor: Actor; mayStill: () => Promise<boolean> },
  signal: AbortSignal,
  isOver: (run: OwnedRun) => boolean = ({ state }) => isFinal(state),
): AsyncGenerator<StreamedEvent> {
  // A database that is restarted ends no stream: who follows gets the rest when it is back.
  const ask = <T>(read: () => Promise<T>): Promise<T> => readWithRetry(deps, signal, read);
  let wake: () => void = () => undefined;
  let news = true;
  const look = (): void => {
    news = true;
    wake();
  };
  let isInDoubt = false;
  const onRights = (): void => {
    isInDoubt = true;
    look();
  };
  const unsubscribe = [
    deps.hub.subscribe(runHint(runId), look),
    watchRights(deps, rights.actor, onRights),
  ];
  signal.addEventListener("abort", look, { once: true });
  try {
    const snapshot = await ask(() => snapshotAfter(deps.store.read, runId, after));
    if (snapshot) {
      yield { id: snapshot.seq, type: "snapshot", payload: snapshot };
      after = snapshot.seq;
    }
    while (!signal.aborted) {
      news = false;
      if (isInDoubt) {
        isInDoubt = false;
        if (!(await ask(rights.mayStill))) return;
      }
      const events = await ask(() => listRunEvents(deps.store.read, runId, after, eventsPage));
      for (const event of events)
        yield { id: event.seq, type: event.type, payload: shownEvent(event).payload };
      after = events.at(-1)?.seq ?? after;
      if (events.length === eventsPage || news) continue;
      const run = await ask(() => getRun(deps.store.read, runId));
      if (!run || (isOver(run) && after >= run.lastSeq)) return;
      // A news that came between the read and here has set `news`; else wait for the next.
      if (!news) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    for (const end of unsubscribe) end();
    signal.removeEventListener("abort", look);
  }
}

import type { NewRunEvent } from "#contract/events.ts";
import { limits } from "#contract/limits.ts";
import type { RunRow } from "#store/database/schema.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { appendRunEvents, Fenced, moveRun } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import { persist } from "../persist.ts";

/**
 * Writes a running run's events: the first at once, the next at most 100 ms apart, each committed before anyone is notified.
 * Deltas that wait together are one event.
 */
export type RunLog = {
  add(event: NewRunEvent): void;
  /** Resolves when all that was added is durable. Rejects with Fenced when another worker owns the run. */
  flush(): Promise<void>;
  /** Everything that an answer has said so far. */
  readonly said: { text: string; reasoning: string };
  /** Whether anything was written: the run is running then. */
  hasBegun(): boolean;
};

export function createRunLog(
  deps: EngineDeps,
  run: OwnedRun,
  signal: AbortSignal,
  onFenced: () => void,
): RunLog {
  let waiting: NewRunEvent[] = [];
  let began = run.state !== "submitting";
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  const said = { text: "", reasoning: "" };

  async function write(): Promise<void> {
    const events = waiting;
    waiting = [];
    lastAt = deps.clock.monotonic();
    const at = deps.clock.now();
    await persist(deps, signal, async (unit) => {
      if (began) return appendRunEvents(unit, run, events, columnsOf(events));
      const moved = await moveRun(unit, {
        runId: run.id,
        fence: run.fence,
        step: { type: "stream-began" },
        events,
        set: { ...columnsOf(events), first_output_at: at },
      });
      if (!moved) throw new Fenced(run.id);
    });
    began = true;
  }

  function start(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = write()
      .catch((error) => {
        failure = error;
        onFenced();
      })
      .finally(() => {
        writing = undefined;
        if (waiting.length > 0 && failure === undefined) schedule();
      });
    return writing;
  }

  function schedule(): void {
    if (writing || timer || failure !== undefined) return;
    const waitMs = lastAt + limits.eventCheckpointMs - deps.clock.monotonic();
    if (waitMs <= 0) void start();
    else timer = setTimeout(() => void start(), waitMs);
  }

  return {
    said,
    hasBegun: () => began,
    add(event) {
      if (event.type === "text-delta") said.text += event.payload.text;
      if (event.type === "reasoning-delta") said.reasoning += event.payload.text;
      join(waiting, event);
      schedule();
    },
    async flush() {
      while (failure === undefined && (writing || waiting.length > 0)) await (writing ?? start());
      clearTimeout(timer);
      if (failure !== undefined) throw failure;
    },
  };
}

/** A delta is kept in events of at most so many characters: a reader gets them one by one, however much came at once. */
const deltaCharacters = 32_768;

/** Splits before a high surrogate that would lose its other half. */
function cut(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + deltaCharacters, text.length);
    if (to < text.length && /[\uD800-\uDBFF]/.test(text[to - 1]!)) to--;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** Adds an event to those that wait: deltas grow, of progress and previews only the newest counts. */
function join(waiting: NewRunEvent[], event: NewRunEvent): void {
  const last = waiting.at(-1);
  if (event.type === "text-delta" || event.type === "reasoning-delta") {
    const before = last?.type === event.type ? last.payload.text : "";
    if (before.length + event.payload.text.length <= deltaCharacters) {
      if (last?.type === event.type) waiting.pop();
      waiting.push({ type: event.type, payload: { text: before + event.payload.text } });
    } else
      for (const text of cut(event.payload.text))
        waiting.push({ type: event.type, payload: { text } });
    return;
  }
  if (event.type === "progress" || event.type === "preview" || event.type === "queue-place") {
    const older = waiting.findIndex((known) => known.type === event.type);
    if (older >= 0) waiting.splice(older, 1);
  }
  waiting.push(event);
}

/** What lists show of a running run without reading its log. */
function columnsOf(events: readonly NewRunEvent[]): Partial<RunRow> {
  const set: Partial<RunRow> = {};
  for (const event of events) {
    if (event.type === "progress") set.progress = JSON.stringify(event.payload);
    if (event.type === "queue-place") set.queue_place = event.payload.place;
  }
  return set;
}

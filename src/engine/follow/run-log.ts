import type { NewRunEvent } from "#contract/events.ts";
import { limits } from "#contract/limits.ts";
import { cutWords, type LiveWords } from "#contract/live-words.ts";
import type { OwnColumns, OwnedRun } from "#store/runs/run-rows.ts";
import { appendRunEvents, Fenced, moveRun } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import { persist } from "../persist.ts";
import type { Rest } from "../settle/settle.ts";

/**
 * Writes a running run's events, and tells its words as they come. The first words are written after `eventPauseMs`, more at most
 * `wordsCheckpointMs` apart; anything else at once, then at most `eventPauseMs` apart. Deltas that wait together are one event.
 */
export type RunLog = {
  add(event: NewRunEvent): void;
  /** Resolves when all that was added is durable. Rejects with Fenced when another worker owns the run. */
  flush(): Promise<void>;
  /** The same, but what waits is left to the unit that ends the run: it writes these events and columns first. */
  rest(): Promise<Rest>;
  /** The words that are not durable yet. */
  unwritten(): LiveWords[];
  /** Everything that an answer has said so far, and how long it has reasoned. */
  readonly said: { text: string; reasoning: string; reasonedMs: number };
  /** The model reasons from now on, or does something else. Deltas say so by themselves. */
  reasons(isReasoning: boolean): void;
  /** Whether anything was written: the run is running then. */
  hasBegun(): boolean;
};

const isWords = ({ type }: NewRunEvent): boolean =>
  type === "text-delta" || type === "reasoning-delta";

/** Words were told already, unless they are too many to be told at once. */
const isPatient = (waiting: readonly NewRunEvent[]): boolean =>
  waiting.length <= 2 && waiting.every(isWords);

export function createRunLog(
  deps: EngineDeps,
  run: OwnedRun,
  signal: AbortSignal,
  onFenced: () => void,
  onBegun: (run: OwnedRun) => void = () => undefined,
): RunLog {
  let waiting: NewRunEvent[] = [];
  let inWrite: NewRunEvent[] = [];
  let began = run.state !== "submitting";
  let writing: Promise<void> | undefined;
  let timer: { dueAt: number; handle: NodeJS.Timeout } | undefined;
  let lastAt: number | null = null;
  let firstOutputAt: number | null = null;
  /** Since when words wait that are not durable; null while all are. */
  let unwrittenSince: number | null = null;
  /** Words of this turn that are not told yet. */
  let untold: LiveWords | null = null;
  let failure: unknown;
  const said = { text: "", reasoning: "", reasonedMs: 0 };
  /** Until when the time that it reasons is counted; null while it does not. */
  let reasonedUntil: number | null = null;
  const { attempts: attempt } = run;

  async function write(): Promise<void> {
    tell();
    const events = waiting;
    [inWrite, waiting] = [waiting, []];
    const startedAt = deps.clock.monotonic();
    lastAt = startedAt;
    await deps.failpoints?.at("log.write", run);
    const moved = await persist(deps, signal, async (unit) => {
      if (began) {
        await appendRunEvents(unit, run, events, columnsOf(events));
        return undefined;
      }
      const moved = await moveRun(unit, {
        runId: run.id,
        fence: run.fence,
        from: run,
        step: { type: "stream-began" },
        events,
        set: columnsOfStart(events),
      });
      if (!moved) throw new Fenced(run.id);
      return moved;
    });
    if (moved) onBegun(moved);
    began = true;
    inWrite = [];
    unwrittenSince = waiting.some(isWords) ? startedAt : null;
  }

  const columnsOfStart = (events: readonly NewRunEvent[]): Partial<OwnColumns> => ({
    ...columnsOf(events),
    first_output_at: firstOutputAt,
  });

  function start(): Promise<void> {
    clearTimeout(timer?.handle);
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
    if (writing || failure !== undefined) return;
    const now = deps.clock.monotonic();
    const patient = isPatient(waiting);
    const dueAt =
      lastAt === null
        ? now + (patient ? limits.eventPauseMs : 0)
        : lastAt + (patient ? limits.wordsCheckpointMs : limits.eventPauseMs);
    if (timer && timer.dueAt <= dueAt) return;
    clearTimeout(timer?.handle);
    const waitMs = dueAt - now;
    if (waitMs <= 0) void start();
    else timer = { dueAt, handle: setTimeout(() => void start(), waitMs) };
  }

  /** @returns whether it reasoned until now */
  function reasons(isReasoning: boolean): boolean {
    const now = deps.clock.monotonic();
    const before = reasonedUntil;
    if (before !== null) said.reasonedMs += now - before;
    reasonedUntil = isReasoning ? now : null;
    return before !== null;
  }

  /** Words that came in one piece of the network are told as one: to tell and send them costs more than to read them. */
  function tellSoon(words: LiveWords): void {
    if (untold?.type === words.type && untold.text.length + words.text.length <= deltaCharacters) {
      untold.text += words.text;
      if (words.reasonedMs !== undefined) untold.reasonedMs = words.reasonedMs;
      return;
    }
    if (untold) tell();
    else process.nextTick(tell);
    untold = words;
  }

  /** A database that writes nothing must not let anyone read on for long: after a crash the words would be gone. */
  function tell(): void {
    const words = untold;
    if (!words) return;
    untold = null;
    const lateMs = deps.clock.monotonic() - (unwrittenSince ?? Number.POSITIVE_INFINITY);
    const isLate = lateMs >= 2 * limits.wordsCheckpointMs;
    if (failure === undefined && !isLate && words.text.length <= deltaCharacters)
      deps.hub.say(run.id, words);
  }

  return {
    said,
    reasons,
    hasBegun: () => began,
    unwritten: () => (failure === undefined ? wordsOf([...inWrite, ...waiting], attempt) : []),
    add(event) {
      firstOutputAt ??= deps.clock.now();
      if (event.type === "text-delta" || event.type === "reasoning-delta") {
        const spoken = event.type === "text-delta" ? "text" : "reasoning";
        const hasTime = reasons(spoken === "reasoning") || spoken === "reasoning";
        const payload = {
          text: event.payload.text,
          offset: said[spoken].length,
          ...(hasTime && { reasonedMs: Math.round(said.reasonedMs) }),
        };
        said[spoken] += payload.text;
        unwrittenSince ??= deps.clock.monotonic();
        join(waiting, { type: event.type, payload });
        tellSoon({ type: event.type, attempt, ...payload });
      } else join(waiting, event);
      schedule();
    },
    async rest() {
      tell();
      while (writing) await writing;
      clearTimeout(timer?.handle);
      if (failure !== undefined) throw failure;
      return { events: waiting, set: began ? {} : columnsOfStart(waiting) };
    },
    async flush() {
      tell();
      while (failure === undefined && (writing || waiting.length > 0)) await (writing ?? start());
      clearTimeout(timer?.handle);
      if (failure !== undefined) throw failure;
    },
  };
}

const wordsOf = (events: readonly NewRunEvent[], attempt: number): LiveWords[] =>
  events.flatMap((event) =>
    event.type === "text-delta" || event.type === "reasoning-delta"
      ? [{ type: event.type, attempt, offset: 0, ...event.payload }]
      : [],
  );

/** A delta is kept in events of at most so many characters: a reader gets them one by one, however much came at once. */
const deltaCharacters = 32_768;

/** Adds an event to those that wait: deltas grow, of progress and previews only the newest counts. */
function join(waiting: NewRunEvent[], event: NewRunEvent): void {
  const last = waiting.at(-1);
  if (event.type === "text-delta" || event.type === "reasoning-delta") {
    const { text, offset = 0, reasonedMs } = event.payload;
    const time = reasonedMs === undefined ? {} : { reasonedMs };
    if (last?.type === event.type && last.payload.text.length + text.length <= deltaCharacters) {
      last.payload.text += text;
      Object.assign(last.payload, time);
    } else
      for (const piece of cutWords({ text, offset }, deltaCharacters))
        waiting.push({ type: event.type, payload: { ...piece, ...time } });
    return;
  }
  if (event.type === "progress" || event.type === "preview" || event.type === "queue-place") {
    const older = waiting.findLastIndex((known) => known.type === event.type);
    // A picture that an event of the provider's own stream follows is that event's.
    const isTaken = waiting.slice(older + 1).some(({ type }) => type === "partial");
    if (older >= 0 && !isTaken) waiting.splice(older, 1);
  }
  waiting.push(event);
}

/** What lists show of a running run without reading its log. */
function columnsOf(events: readonly NewRunEvent[]): Partial<OwnColumns> {
  const set: Partial<OwnColumns> = {};
  for (const event of events) {
    if (event.type === "progress") set.progress = JSON.stringify(event.payload);
    if (event.type === "queue-place") set.queue_place = event.payload.place;
  }
  return set;
}

import type { NewRunEvent, RunEventPayloads } from "#contract/events.ts";
import { limits } from "#contract/limits.ts";
import { cutPiece, type LiveText } from "#contract/live-text.ts";
import type { OwnColumns, OwnedRun } from "#store/runs/run-rows.ts";
import { appendRunEvents, Fenced, moveRun } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import type { LivePiece } from "../hub.ts";
import { persist } from "../persist.ts";
import type { Rest } from "../settle/settle.ts";
import { createLiveCalls } from "./live-calls.ts";

/**
 * Writes a running run's events and publishes its text as it streams. The first text is written
 * after `eventPauseMs`, later text at most `wordsCheckpointMs` apart. Other events are written
 * immediately, then at most `eventPauseMs` apart. Waiting deltas are joined into one event.
 */
export type RunLog = {
  add(event: NewRunEvent): void;
  /**
   * Adds a part of a tool call's arguments. It is published for the program that waits for the
   * answer, and never written: the unit that ends the run writes the call.
   */
  addArguments(piece: { place: number; name: string; text: string }): void;
  /**
   * Resolves when everything added so far is durable. Rejects with Fenced if another worker owns
   * the run.
   */
  flush(): Promise<void>;
  /**
   * Like `flush`, but leaves the waiting events and columns to the unit that ends the run, which
   * writes them first.
   */
  rest(): Promise<Rest>;
  /** The output that isn't durable yet. */
  unwritten(): LivePiece[];
  /** The whole text of the answer so far, its calls, and how long it has reasoned. */
  readonly said: { text: string; reasoning: string; readonly calls: string; reasonedMs: number };
  /** Marks the start or end of reasoning. Deltas mark it on their own. */
  reasons(isReasoning: boolean): void;
  /** Whether anything has been written, which means that the run is running. */
  hasBegun(): boolean;
  /** Whether a program may have received a part of a tool call. */
  hasShownCalls(): boolean;
};

const isTextDelta = ({ type }: NewRunEvent): boolean =>
  type === "text-delta" || type === "reasoning-delta";

/** Text can wait, because it has been published, unless it is too long for one message. */
const isPatient = (waiting: readonly NewRunEvent[]): boolean =>
  waiting.length <= 2 && waiting.every(isTextDelta);

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
  /** Since when text has been waiting to be durable; null if none is. */
  let unwrittenSince: number | null = null;
  /** Text of this event-loop turn that hasn't been published. */
  let unpublished: LiveText | null = null;
  let failure: unknown;
  const calls = createLiveCalls();
  // In a chat, people see a call when it is whole.
  const showsCalls = run.messageId === null;
  let publishesCalls = false;
  const said = {
    text: "",
    reasoning: "",
    reasonedMs: 0,
    get calls() {
      return calls.written();
    },
  };
  /** Until when the current reasoning has been counted; null while the model isn't reasoning. */
  let reasonedUntil: number | null = null;
  const { attempts: attempt } = run;

  async function write(): Promise<void> {
    publishText();
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
    unwrittenSince = waiting.some(isTextDelta) ? startedAt : null;
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

  /** @returns whether the model was reasoning until now */
  function reasons(isReasoning: boolean): boolean {
    const now = deps.clock.monotonic();
    const before = reasonedUntil;
    if (before !== null) said.reasonedMs += now - before;
    reasonedUntil = isReasoning ? now : null;
    return before !== null;
  }

  /**
   * Joins the text of one network chunk, because publishing and sending each piece costs more than
   * reading it.
   */
  function publishSoon(chunk: LiveText): void {
    if (
      unpublished?.type === chunk.type &&
      unpublished.afterCall === chunk.afterCall &&
      unpublished.text.length + chunk.text.length <= deltaCharacters
    ) {
      unpublished.text += chunk.text;
      if (chunk.reasonedMs !== undefined) unpublished.reasonedMs = chunk.reasonedMs;
      return;
    }
    if (unpublished) publishText();
    else process.nextTick(publishText);
    unpublished = chunk;
  }

  /**
   * Publishes nothing while the database hasn't written for long: a crash would lose text that
   * people have read.
   */
  function publishText(): void {
    const chunk = unpublished;
    if (!chunk) return;
    unpublished = null;
    if (mayPublish() && chunk.text.length <= deltaCharacters) deps.hub.say(run.id, chunk);
  }

  function mayPublish(): boolean {
    const lateMs = deps.clock.monotonic() - (unwrittenSince ?? Number.POSITIVE_INFINITY);
    return failure === undefined && lateMs < 2 * limits.wordsCheckpointMs;
  }

  function publishCalls(): void {
    const isDue = publishesCalls;
    publishesCalls = false;
    if (!isDue || !mayPublish()) return;
    // Text that still waits was written before the calls.
    publishText();
    for (const piece of calls.take())
      for (const cut of cutPiece(piece, deltaCharacters))
        deps.hub.say(run.id, { type: "arguments-delta", attempt, ...cut });
  }

  return {
    said,
    reasons,
    hasBegun: () => began,
    hasShownCalls: calls.isShown,
    unwritten: () =>
      failure === undefined
        ? [
            ...textDeltasOf([...inWrite, ...waiting], attempt),
            ...calls
              .shown()
              .map((piece) => ({ type: "arguments-delta" as const, attempt, ...piece })),
          ]
        : [],
    addArguments(piece) {
      firstOutputAt ??= deps.clock.now();
      if (!calls.add(piece) || !showsCalls || publishesCalls) return;
      publishesCalls = true;
      process.nextTick(publishCalls);
    },
    add(event) {
      firstOutputAt ??= deps.clock.now();
      if (event.type === "text-delta" || event.type === "reasoning-delta") {
        // Readers get text and calls in the order in which the model wrote them.
        publishCalls();
        const spoken = event.type === "text-delta" ? "text" : "reasoning";
        const hasTime = reasons(spoken === "reasoning") || spoken === "reasoning";
        const { text, citations } = payloadOf(event);
        const payload = {
          text,
          offset: said[spoken].length,
          ...(hasTime && { reasonedMs: Math.round(said.reasonedMs) }),
          ...(calls.isShown() && { afterCall: true as const }),
        };
        said[spoken] += text;
        unwrittenSince ??= deps.clock.monotonic();
        join(waiting, {
          type: event.type,
          payload: { ...payload, ...(citations && { citations }) },
        });
        if (text !== "") publishSoon({ type: event.type, attempt, ...payload });
      } else join(waiting, event);
      schedule();
    },
    async rest() {
      publishText();
      publishCalls();
      while (writing) await writing;
      clearTimeout(timer?.handle);
      if (failure !== undefined) throw failure;
      return { events: waiting, set: began ? {} : columnsOfStart(waiting) };
    },
    async flush() {
      publishText();
      publishCalls();
      while (failure === undefined && (writing || waiting.length > 0)) await (writing ?? start());
      clearTimeout(timer?.handle);
      if (failure !== undefined) throw failure;
    },
  };
}

const textDeltasOf = (events: readonly NewRunEvent[], attempt: number): LiveText[] =>
  events.flatMap((event) =>
    event.type === "text-delta" || event.type === "reasoning-delta"
      ? [{ type: event.type, attempt, offset: 0, ...event.payload }]
      : [],
  );

/**
 * The longest delta in one event, in characters. Readers get events one by one, so each must stay
 * small.
 */
const deltaCharacters = 32_768;

type TextDelta = Extract<NewRunEvent, { type: "text-delta" | "reasoning-delta" }>;
/** Only text has citations. */
const payloadOf = ({ payload }: TextDelta): RunEventPayloads["text-delta"] => payload;

/**
 * Adds an event to the waiting ones. Deltas are joined; of progress and previews only the newest is
 * kept.
 */
function join(waiting: NewRunEvent[], event: NewRunEvent): void {
  const last = waiting.at(-1);
  if (event.type === "text-delta" || event.type === "reasoning-delta") {
    const { citations, ...delta } = payloadOf(event);
    const before = last?.type === event.type ? payloadOf(last) : undefined;
    if (
      before &&
      before.afterCall === delta.afterCall &&
      before.citations === undefined &&
      before.text.length + delta.text.length <= deltaCharacters
    ) {
      before.text += delta.text;
      if (delta.reasonedMs !== undefined) before.reasonedMs = delta.reasonedMs;
    } else
      for (const payload of cutPiece({ offset: 0, ...delta }, deltaCharacters))
        waiting.push({ type: event.type, payload });
    // Only the last piece ends the block.
    if (citations) Object.assign(waiting.at(-1)!.payload, { citations });
    return;
  }
  if (event.type === "progress" || event.type === "preview" || event.type === "queue-place") {
    const older = waiting.findLastIndex((known) => known.type === event.type);
    // A preview followed by an event of the provider's own stream belongs to that event.
    const isTaken = waiting.slice(older + 1).some(({ type }) => type === "partial");
    if (older >= 0 && !isTaken) waiting.splice(older, 1);
  }
  waiting.push(event);
}

/** The columns that lists show of a running run without reading its log. */
function columnsOf(events: readonly NewRunEvent[]): Partial<OwnColumns> {
  const set: Partial<OwnColumns> = {};
  for (const event of events) {
    if (event.type === "progress") set.progress = JSON.stringify(event.payload);
    if (event.type === "queue-place") set.queue_place = event.payload.place;
  }
  return set;
}

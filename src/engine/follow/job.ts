import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { longestWaitMs } from "#domain/runs/backoff.ts";
import {
  type CallContext,
  type JobAdapter,
  type JobHandle,
  type JobResult,
  type JobStatus,
  ProviderError,
} from "#providers/adapter.ts";
import { isPassing } from "#providers/wire/job-errors.ts";
import { getConnection, type SealedConnection } from "#store/models/connections.ts";
import { lastAttempt } from "#store/runs/attempts.ts";
import { listJobLog } from "#store/runs/run-lists.ts";
import { Fenced, getRun, moveRun, releaseSlot } from "#store/runs/runs.ts";
import { recordSuccess, recordUnreached } from "../connections/circuit.ts";
import { callContext } from "../connections/open-connection.ts";
import type { EngineDeps } from "../deps.ts";
import { type InHand, notePlaceGiven, onPollRequest, stop } from "../in-hand.ts";
import { placeFiles, settleFiles } from "../ingest/settle-files.ts";
import { isTransient, persist, readWithRetry } from "../persist.ts";
import { costOf } from "../settle/cost.ts";
import { loseOutcome, sendForgotten } from "../settle/fail.ts";
import { emptyOutcome, settleRun, toRunError } from "../settle/settle.ts";
import { wholeAnswer } from "./answer.ts";
import { listen } from "./give-up.ts";
import { createRunLog, type RunLog } from "./run-log.ts";
import { continuedParts } from "./saved-answer.ts";

const pollMs = { first: 500, longest: 5_000 };
/**
 * How long after a cancel request the run is released as unconfirmed if the provider can't be
 * reached.
 */
const cancelPatienceMs = 60_000;
/** How long a provider without a stated lifetime is assumed to keep a job. */
const jobLifetimeMs = 24 * 60 * 60_000;
/** After this long without an answer, the run releases its slot to others. */
const placeMs = 10 * 60_000;
const isOurs = (error: unknown): boolean =>
  !(error instanceof ProviderError || error instanceof Problem);

/** The server lost the job itself with all its others; the job wasn't canceled. */
const isForgotten = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.detail.forgotten === true;

/** The job's outcome is unknown, and polling for it has been given up. */
class OutOfReach extends Error {
  override readonly name = "OutOfReach";
}

/**
 * Resumes a job with a known id, after a restart or from another worker.
 * @returns false if the job's id is unknown
 */
export async function resumeJob(
  deps: EngineDeps,
  inHand: InHand,
  giveUp: AbortSignal,
): Promise<boolean> {
  const attempt = await lastAttempt(deps.store.db, inHand.run.id);
  if (!attempt?.providerRequestId) return false;
  await followJob(
    deps,
    inHand,
    { id: attempt.providerRequestId, urls: attempt.providerUrls ?? {} },
    giveUp,
  );
  return true;
}

/** Follows a job to its end, as any of its owners. */
export async function followJob(
  deps: EngineDeps,
  inHand: InHand,
  handle: JobHandle,
  giveUp: AbortSignal,
): Promise<void> {
  await deps.failpoints?.at("job.follow", inHand.run);
  const job = inHand.adapter.job!;
  const log = createRunLog(deps, inHand.run, giveUp, () => stop(inHand, "fenced"));
  // A cancel takes effect at the provider: the job is polled until its outcome is known.
  const watching = inHand.letGo.signal;
  let cancelledAt = Number.POSITIVE_INFINITY;
  let isStopped = false;
  const onStop = (): void => {
    if (inHand.stopped.reason !== "cancel") return;
    cancelledAt = deps.clock.monotonic();
    void cancelAtProvider(deps, inHand, job, handle, log).then((stopped) => {
      isStopped = stopped;
    });
  };
  inHand.controller.signal.addEventListener("abort", onStop, { once: true });
  if (inHand.controller.signal.aborted) onStop();
  // A result that is being stored is never given up.
  const patience: Patience = {
    isOver: (silentSince, error) => {
      const now = deps.clock.monotonic();
      if (inHand.run.state === "storing") return false;
      if (error instanceof ProviderError && error.detail.overdue === true) return true;
      const silenceMs = inHand.adapter.jobLifetimeMs ?? jobLifetimeMs;
      return (
        now - Math.max(silentSince, cancelledAt) >= cancelPatienceMs ||
        now - silentSince >= silenceMs
      );
    },
    // A provider may delete a job as soon as it is stopped, so a missing job then means that it
    // ended.
    isEnd: (error) => isStopped && error instanceof ProviderError && error.detail.gone === true,
  };
  const ask: Ask = (question) => askUntilAnswered(deps, inHand, question, log, patience, watching);
  try {
    if (inHand.run.state !== "storing")
      await watchJob(deps, inHand, job, handle, ask, log, watching);
    const result = await ask((context) => job.result(handle, context));
    await log.flush();
    await saveResult(deps, inHand, result, giveUp);
  } catch (error) {
    if (watching.aborted || error instanceof Fenced) return;
    await log.flush();
    if (error instanceof OutOfReach) await loseOutcome(deps, inHand, error.message, giveUp);
    else if (
      isForgotten(error) &&
      inHand.stopped.reason === null &&
      (await sendForgotten(deps, inHand, error.message, giveUp))
    )
      return;
    else if (isOurs(error)) throw error;
    else await failJob(deps, inHand, error, giveUp);
  }
}

/**
 * Reads the job's status stream if there is one, and otherwise, or if it breaks, polls at growing
 * intervals.
 */
async function watchJob(
  deps: EngineDeps,
  inHand: InHand,
  job: JobAdapter,
  handle: JobHandle,
  ask: Ask,
  log: RunLog,
  signal: AbortSignal,
): Promise<void> {
  let running = inHand.run.state === "running";
  const newLines = createLineReader(
    await readWithRetry(deps, signal, () => listJobLog(deps.store.db, inHand.run.id)),
  );
  const see = async (status: JobStatus): Promise<boolean> => {
    if (status.queuePlace !== undefined)
      log.add({ type: "queue-place", payload: { place: status.queuePlace } });
    if (status.progress) log.add({ type: "progress", payload: status.progress });
    if (status.preview)
      log.add({
        type: "preview",
        payload: {
          mime: status.preview.mime,
          base64: Buffer.from(status.preview.bytes).toString("base64"),
        },
      });
    const lines = newLines(status.logs ?? []);
    if (lines.length > 0) log.add({ type: "log", payload: { lines } });
    if (status.state !== "queued" && !running) {
      running = true;
      await log.flush();
      await persist(deps, signal, (unit) =>
        moveRun(unit, {
          runId: inHand.run.id,
          fence: inHand.run.fence,
          step: { type: "provider-runs" },
          events: [{ type: "run-running", payload: {} }],
          set: { queue_place: null },
        }),
      );
    }
    return status.state === "done";
  };
  if (job.follow) {
    try {
      const connection =
        (await getConnection(deps.store.read, inHand.connection.id)) ?? inHand.connection;
      const { context, heard, done } = questionContext(deps, inHand, connection, signal);
      try {
        for await (const status of job.follow(handle, context)) {
          if (await see(status)) return;
          heard();
        }
      } finally {
        done();
      }
    } catch (error) {
      if (signal.aborted || error instanceof Fenced || !isPassing(error)) throw error;
    }
  }
  for (let waitMs = pollMs.first; ; waitMs = Math.min(waitMs * 1.5, pollMs.longest)) {
    const status = await ask((context) => job.status(handle, context));
    if (await see(status)) return;
    await untilNextPoll(inHand, waitMs, signal);
  }
}

type LogLine = NonNullable<JobStatus["logs"]>[number];

const keysOf = (lines: readonly LogLine[]): string[] =>
  lines.map(({ at, level, message }) => JSON.stringify([at ?? null, level ?? null, message]));

/**
 * Extracts the new lines from a job log. Providers send the whole log each time, its end, or only
 * new lines, so known lines are dropped by the longest overlap.
 * @param written the lines that the job's previous owner saved
 */
export function createLineReader(
  written: readonly LogLine[] = [],
): (lines: readonly LogLine[]) => LogLine[] {
  const known = keysOf(written);
  return (lines) => {
    const keys = keysOf(lines);
    let overlap = Math.min(known.length, keys.length);
    while (
      overlap > 0 &&
      !keys.slice(0, overlap).every((key, i) => known[known.length - overlap + i] === key)
    )
      overlap--;
    known.push(...keys.slice(overlap));
    return lines.slice(overlap);
  };
}

/**
 * Waits for a webhook, or for the time to poll.
 * @throws the signal's reason
 */
async function untilNextPoll(inHand: InHand, waitMs: number, signal: AbortSignal): Promise<void> {
  const early = new AbortController();
  const stopListening = onPollRequest(inHand, () => early.abort());
  await sleep(waitMs, undefined, { signal: AbortSignal.any([signal, early.signal]) })
    .catch(() => signal.throwIfAborted())
    .finally(stopListening);
}

type Question<T> = (context: CallContext) => Promise<T>;
type Ask = <T>(question: Question<T>) => Promise<T>;

/**
 * How long an unreachable job is polled, by the monotonic time since the last answer and by the
 * error.
 */
type Patience = {
  isOver(silentSince: number, error: unknown): boolean;
  /** Whether this error means that the job itself has ended. */
  isEnd(error: unknown): boolean;
};

const isAsBefore = (a: SealedConnection, b: SealedConnection): boolean =>
  a.sealedSecret === b.sealedSecret &&
  JSON.stringify([a.baseUrls, a.options]) === JSON.stringify([b.baseUrls, b.options]);

/** The context of one poll, which ends after a minute without a byte. */
function questionContext(
  deps: EngineDeps,
  inHand: InHand,
  connection: SealedConnection,
  signal: AbortSignal,
): { context: CallContext; heard(): void; done(): void } {
  const { heard, done, ...listening } = listen(deps, signal);
  const context = callContext(deps, inHand.adapter, connection, listening.signal, {
    onWire: heard,
    onBody: heard,
  });
  return { context, heard, done };
}

/**
 * Polls with the connection's current settings, because an expired key may have been replaced. If
 * that fails and the connection has changed since the run was sent, polls with the original
 * settings as well: a key of another project or another region doesn't find the job.
 */
async function askOnce<T>(
  deps: EngineDeps,
  inHand: InHand,
  question: Question<T>,
  signal: AbortSignal,
): Promise<T> {
  const before = inHand.connection;
  const now = (await getConnection(deps.store.read, before.id)) ?? before;
  const askWith = async (connection: SealedConnection): Promise<T> => {
    const { context, done } = questionContext(deps, inHand, connection, signal);
    try {
      return await question(context);
    } finally {
      done();
    }
  };
  try {
    return await askWith(now);
  } catch (error) {
    if (signal.aborted || !isPassing(error) || isAsBefore(now, before)) throw error;
    return await askWith(before).catch((second: unknown) => {
      throw isPassing(second) ? error : second;
    });
  }
}

/**
 * Repeats a poll until it is answered, because the job has been paid for. Each new reason for
 * failure is written to the job's log once.
 * @throws OutOfReach when the provider hasn't answered for too long
 * @throws the provider's error about the job's own end
 */
async function askUntilAnswered<T>(
  deps: EngineDeps,
  inHand: InHand,
  question: Question<T>,
  log: RunLog,
  patience: Patience,
  signal: AbortSignal,
): Promise<T> {
  let lastReported = "";
  let silentSince: number | null = null;
  for (let waitMs = 1_000; ; waitMs = Math.min(waitMs * 2, 60_000)) {
    try {
      const answer = await askOnce(deps, inHand, question, signal);
      if (lastReported !== "") await recordSuccess(deps, inHand);
      return answer;
    } catch (error) {
      if (signal.aborted || patience.isEnd(error) || !(isPassing(error) || isTransient(error)))
        throw error;
      const { message } = toRunError(error, inHand.run.connectionId);
      if (message !== lastReported)
        log.add({
          type: "log",
          payload: { lines: [{ at: deps.clock.now(), level: "warn", message }], own: true },
        });
      lastReported = message;
      // Trouble with our own database says nothing about the provider, and a provider that limits
      // the rate is reachable.
      if (
        isTransient(error) ||
        (error instanceof ProviderError && error.code === "provider_rate_limited")
      )
        silentSince = null;
      else {
        silentSince ??= deps.clock.monotonic();
        if (patience.isOver(silentSince, error)) throw new OutOfReach(message);
        if (deps.clock.monotonic() - silentSince >= placeMs) await givePlaceBack(deps, inHand);
      }
      deps.log.warn(
        { runId: inHand.run.id, error: String(error), waitMs },
        "could not ask about a job; trying again",
      );
      const pauseMs = pauseAfter(error, waitMs, !inHand.releasedSlot);
      if (error instanceof ProviderError) {
        log.add({
          type: "service-silent",
          payload: { reason: message, notBefore: deps.clock.now() + pauseMs },
        });
        if (error.code === "provider_unreachable") await recordUnreached(deps, inHand, error);
      }
      await untilNextPoll(inHand, pauseMs, signal);
    }
  }
}

/**
 * The longest pause after a 5xx while the run has its slot: the server answers, and so may answer
 * the next poll.
 */
const serverErrorPauseMs = 10_000;

/** @param waitMs the pause if nothing else is known */
export function pauseAfter(error: unknown, waitMs: number, hasSlot: boolean): number {
  const { retryAfterMs, httpStatus = 0 } = error instanceof ProviderError ? error.detail : {};
  const mostMs = hasSlot && httpStatus >= 500 ? serverErrorPauseMs : longestWaitMs;
  return Math.min(retryAfterMs ?? Math.min(waitMs, mostMs), longestWaitMs);
}

/**
 * Releases the run's slot to others. The run keeps its state and polling continues. An internal
 * error is retried with the next poll.
 */
async function givePlaceBack(deps: EngineDeps, inHand: InHand): Promise<void> {
  if (inHand.releasedSlot) return;
  const { id, fence } = inHand.run;
  await deps
    .commit((unit) => releaseSlot(unit, { runId: id, fence }))
    .then(
      () => notePlaceGiven(inHand),
      (error) => deps.log.warn({ runId: id, error: String(error) }, "could not give a place back"),
    );
}

/** @returns whether the provider confirms that the job has stopped */
async function cancelAtProvider(
  deps: EngineDeps,
  inHand: InHand,
  job: JobAdapter,
  handle: JobHandle,
  log: RunLog,
): Promise<boolean> {
  let isStopped = false;
  let line: string;
  try {
    isStopped = await askOnce(
      deps,
      inHand,
      (context) => job.cancel(handle, context),
      AbortSignal.timeout(30_000),
    );
    line = isStopped ? sentences.runs.providerCancels : sentences.runs.providerCantCancel;
  } catch (error) {
    line = `The provider did not take the cancel: ${String(error instanceof Error ? error.message : error)}`;
  }
  log.add({
    type: "log",
    payload: { lines: [{ at: deps.clock.now(), message: line }], own: true },
  });
  return isStopped;
}

async function saveResult(
  deps: EngineDeps,
  inHand: InHand,
  result: JobResult,
  giveUp: AbortSignal,
): Promise<void> {
  const { run } = inHand;
  const costMicros = costOf(inHand, result);
  const sources = await persist(deps, giveUp, async (unit) => {
    const placed = await placeFiles(unit, inHand, result.files);
    if (run.state === "storing") return placed;
    const moved = await moveRun(unit, {
      runId: run.id,
      fence: run.fence,
      step: { type: "provider-done" },
      // Saves the cost, known now but not after a crash, before the files arrive.
      set: { cost_micros: costMicros, usage: JSON.stringify(result.usage) },
      events: [{ type: "run-storing", payload: { outputs: result.files.length } }],
    });
    if (!moved) throw new Fenced(run.id);
    return placed;
  });
  const { answerParts = [], usage } = result;
  const before =
    answerParts.length === 0
      ? []
      : await readWithRetry(deps, giveUp, () => continuedParts(deps, run));
  const ended = { ...wholeAnswer(answerParts, before), result: result.result, usage, costMicros };
  await settleFiles(deps, inHand, sources, ended, giveUp);
}

async function failJob(
  deps: EngineDeps,
  inHand: InHand,
  error: unknown,
  giveUp: AbortSignal,
): Promise<void> {
  const run = await getRun(deps.store.db, inHand.run.id);
  const cancelled = run?.cancelRequestedAt !== null && run?.state !== "storing";
  if (!(error instanceof ProviderError))
    deps.log.error(
      { runId: inHand.run.id, error: error instanceof Error ? error.stack : String(error) },
      "a job could not be followed",
    );
  await persist(deps, giveUp, (unit) =>
    settleRun(unit, deps, inHand.run, {
      ...emptyOutcome,
      steps: [{ type: cancelled ? "cancelled" : "failed" }],
      interrupted: true,
      error: cancelled ? null : toRunError(error, inHand.run.connectionId),
      warnings: inHand.warnings,
      // Providers bill jobs that succeed: a failure or cancel that they confirm is free unless they
      // say otherwise. A refused poll confirms neither.
      costMicros:
        error instanceof ProviderError &&
        error.detail.final === true &&
        error.detail.billed !== true
          ? 0
          : null,
      attempt: { state: "ended" },
    }),
  );
}

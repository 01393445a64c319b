import type { Context } from "hono";
import type { Run, RunWarning } from "#contract/entities.ts";
import { errors, isErrorCode, Problem } from "#contract/errors.ts";
import type { NeededScope } from "#contract/routes/scopes.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Usage } from "#domain/money/prices.ts";
import type { Actor, Scope } from "#domain/people/policy.ts";
import { mostBeforeAgainMs } from "#domain/runs/backoff.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { whyPaused } from "#engine/connections/circuit.ts";
import { withdrawRun } from "#engine/follow/cancel.ts";
import { isRefused, listAttempts } from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Env } from "../../env.ts";
import type { SentFiles } from "../../files/sent-files.ts";
import type { Line } from "../../line.ts";
import { readerLeft, type StreamedEvent } from "../../live/event-stream.ts";
import { followRunEvents } from "../../live/run-events.ts";
import { isStillAllowed } from "../../still-allowed.ts";
import { createPlace, type Place } from "./place.ts";
import { RunProblem } from "./run-problem.ts";

/** A request through this door: who asks, in which project, and until when somebody reads the answer. */
export type Asking = {
  actor: Actor;
  projectId: string;
  c: Context<Env>;
  line: Line;
  /** What left the request's body as files. */
  files: SentFiles;
  gone: AbortSignal;
  scope: NeededScope;
  /** The place of the run that it waits for. */
  place: Place;
  /** Whether the answer is wanted only while the connection is open. */
  endsWithCaller: boolean;
  /** Its program asks for the answer later: the call does not wait on its connection. */
  isBackground?: true;
};

/** With it a program says that a run goes on when its connection closes. */
const keepRunning = "x-bottega-keep-running";

/** A call that the gate let in, as the request of a program. */
export const toAsking = (
  {
    actor,
    scope,
    c,
    line,
    files,
  }: Pick<Asking, "actor" | "c" | "line" | "files"> & { scope: Scope },
  needed: NeededScope,
): Asking => ({
  actor,
  projectId: scope.projectId ?? "",
  c,
  line,
  files,
  gone: goneSignal(c),
  scope: needed,
  place: createPlace(),
  endsWithCaller: keyOf(c) === undefined && c.req.header(keepRunning) !== "true",
});

/** Aborts when the client disconnects. */
export function goneSignal(c: Context<Env>): AbortSignal {
  const gone = new AbortController();
  if (c.env.outgoing.destroyed) gone.abort(readerLeft);
  c.env.outgoing.on("close", () => gone.abort(readerLeft));
  return gone.signal;
}

/** Nobody hears any more of an unconfirmed run by waiting for it. */
export const isOver = ({ state }: Pick<Run, "state">): boolean =>
  isFinal(state) || state === "unconfirmed";

/** A run's events from its beginning to its end, as long as the key may still read them. */
export function followRun(
  deps: ServerDeps,
  { actor, c, line, gone, scope }: Asking,
  runId: string,
): AsyncGenerator<StreamedEvent> {
  const right = { permission: "view", needed: scope, kind: "run", id: runId } as const;
  const mayStill = () => isStillAllowed(deps, { actor, line, c }, right);
  return followRunEvents(deps, runId, 0, { actor, mayStill }, gone, isOver);
}

/** How often a call that waits for a place looks whether its service is paused. */
const serviceLookMs = 500;

/**
 * The same for a call that is answered on its connection. It waits for a place only so long, and neither while its service is paused
 * nor once the server stops: its run is then withdrawn, while nobody has claimed it.
 * @throws RunProblem rate_limited, unavailable
 */
async function* followInTime(deps: ServerDeps, asking: Asking, runId: string) {
  const events = followRun(deps, asking, runId);
  try {
    let endOfWait: AbortSignal | undefined = deps.calls.endOfWait();
    // Under a caller's own key nothing was looked at before: its run may have ended long ago.
    let lookMs = keyOf(asking.c) === undefined ? serviceLookMs : 0;
    for (;;) {
      const next = events.next();
      const refusal = endOfWait && (await refusalBefore(deps, runId, next, { endOfWait, lookMs }));
      lookMs = serviceLookMs;
      if (refusal && (await withdrawRun(deps, runId))) {
        void events.return(undefined);
        throw await problemOfWithdrawn(deps, runId, refusal);
      }
      const { value: event, done } = await next;
      if (done) return;
      if (event.type === "run-requeued") {
        endOfWait = deps.calls.endOfWait();
        asking.place.lose();
      }
      if (event.type === "run-started") {
        endOfWait = undefined;
        asking.place.take();
      }
      yield event;
    }
  } finally {
    // Its reader may have left between two events.
    void events.return(undefined);
  }
}

/**
 * The same for a program that waits on its connection. One that closes it before the end doesn't want the answer any more: an
 * answer of words is canceled, anything else only while nobody has sent it, for what is paid is saved. A program that sent its
 * own key will ask again, and one that said so gets its answer later.
 */
export async function* followToAnswer(deps: ServerDeps, asking: Asking, runId: string) {
  try {
    yield* (asking.isBackground ? followRun : followInTime)(deps, asking, runId);
  } finally {
    if (asking.gone.aborted && asking.endsWithCaller && !deps.calls.isStopping())
      await hangUp(deps, runId).catch((error) =>
        deps.log.warn({ runId, error: String(error) }, "a run could not be ended with its caller"),
      );
  }
}

async function hangUp(deps: ServerDeps, runId: string): Promise<void> {
  const run = await getRun(deps.store.read, runId);
  if (!run || isOver(run)) return;
  if (run.task === "chat") await deps.engine.cancelRun(runId);
  else await withdrawRun(deps, runId);
}

/** A client is asked to retry only if no earlier attempt can have been accepted. */
async function problemOfWithdrawn(
  deps: ServerDeps,
  runId: string,
  refusal: Problem,
): Promise<RunProblem> {
  if (!(await mayBeAccepted(deps, runId))) return new RunProblem(refusal, runId, false);
  const message = sentences.api.withdrawnAfterAttempt({ run: runId });
  return new RunProblem(new Problem(refusal.code, { message }), runId, true);
}

/** Why a queued run's call is refused before its next event; undefined when that came first. */
async function refusalBefore(
  deps: ServerDeps,
  runId: string,
  next: Promise<unknown>,
  { endOfWait, lookMs }: { endOfWait: AbortSignal; lookMs: number },
): Promise<Problem | undefined> {
  for (let waitMs = lookMs; ; waitMs = serviceLookMs) {
    if (await isWithin(next, waitMs, endOfWait)) return undefined;
    if (endOfWait.aborted)
      return (await whyLate(deps, runId).catch(() => null)) ?? deps.calls.refusal();
    // A database that is restarted ends no call: it looks again.
    const paused = await whyPaused(deps, runId).catch(() => null);
    if (paused) return paused;
  }
}

/** The refusal of a call whose provider asked for a longer wait; null if the run waits for a place. */
async function whyLate(deps: ServerDeps, runId: string): Promise<Problem | null> {
  const run = deps.calls.isStopping() ? undefined : await getRun(deps.store.read, runId);
  const retryAfterMs = (run?.notBefore ?? 0) - deps.clock.now();
  return run && run.attempts > 0 && retryAfterMs > 0
    ? new Problem("provider_rate_limited", { message: sentences.api.providerWait, retryAfterMs })
    : null;
}

/** Whether a promise is settled within a time, and before a signal is aborted. */
async function isWithin(
  promise: Promise<unknown>,
  waitMs: number,
  end: AbortSignal,
): Promise<boolean> {
  const { promise: isSettled, resolve } = Promise.withResolvers<boolean>();
  const onSettled = (): void => resolve(true);
  promise.then(onSettled, onSettled);
  const onEnd = (): void => resolve(false);
  // What is settled already counts before a signal that is aborted.
  if (end.aborted) queueMicrotask(onEnd);
  const timer = setTimeout(onEnd, waitMs);
  end.addEventListener("abort", onEnd, { once: true });
  try {
    return await isSettled;
  } finally {
    clearTimeout(timer);
    end.removeEventListener("abort", onEnd);
  }
}

/** What the run was when its following ended. @throws RunProblem for any end but success */
export async function successOf(deps: ServerDeps, runId: string): Promise<OwnedRun> {
  const run = await getRun(deps.store.read, runId);
  if (!run) throw new Problem("not_found");
  if (run.state === "succeeded") return run;
  const attempts = await listAttempts(deps.store.read, runId);
  const isRefusedByAll = attempts.every(isRefused);
  throw new RunProblem(
    isRefusedByAll ? untilAgain(deps, run, attempts.length) : problemOfRun(run),
    runId,
    !isRefusedByAll,
    attempts.length > 1,
  );
}

/** Adds the time until a retry to a temporary refusal: the provider's, otherwise this server's own. */
function untilAgain(deps: ServerDeps, run: OwnedRun, attempts: number): Problem {
  const problem = problemOfRun(run);
  if (!run.error || !errors[problem.code].retryable) return problem;
  const waitMs = run.error.retryAfterMs ?? mostBeforeAgainMs(attempts);
  const retryAfterMs = (run.finishedAt ?? 0) + waitMs - deps.clock.now();
  return retryAfterMs > 0
    ? new Problem(problem.code, { ...problem.detail, retryAfterMs })
    : problem;
}

/** False only when every provider that received the run definitely refused it. */
const mayBeAccepted = async (deps: ServerDeps, runId: string): Promise<boolean> =>
  !(await listAttempts(deps.store.read, runId)).every(isRefused);

/** What it ended with, of any end but success. */
export function problemOfRun({ id, state, error }: OwnedRun): Problem {
  if (error)
    return new Problem(isErrorCode(error.code) ? error.code : "internal", {
      message: `${error.message} (run ${id})`,
      field: error.field,
      ...(error.providerAnswer && { providerAnswer: error.providerAnswer }),
    });
  if (state === "cancelled")
    return new Problem("conflict", { message: sentences.api.runCanceled({ run: id }) });
  return new Problem("not_signed_in", {
    message: sentences.api.keyEnded({ run: id }),
  });
}

/** Waits for the end of a run. @throws RunProblem; undefined when the client has gone */
export async function endOf(
  deps: ServerDeps,
  asking: Asking,
  runId: string,
): Promise<OwnedRun | undefined> {
  for await (const _ of followToAnswer(deps, asking, runId))
    if (asking.gone.aborted) return undefined;
  return asking.gone.aborted ? undefined : successOf(deps, runId);
}

/** No program waits for approval: runs that would are ended before anything is sent. */
export async function requireGoing(
  deps: ServerDeps,
  runs: readonly Pick<Run, "id" | "waitingFor">[],
): Promise<void> {
  if (runs.every(({ waitingFor }) => waitingFor === null)) return;
  for (const { id } of runs) await deps.engine.cancelRun(id);
  throw new Problem("budget_exceeded", {
    message: sentences.api.approvalNeeded,
  });
}

/** The caller's own word for a request, by the header that programs know. */
export function keyOf(c: Context<Env>): string | undefined {
  const key = c.req.header("idempotency-key");
  if (key !== undefined && (key === "" || key.length > 200))
    throw new Problem("invalid_input", {
      field: "Idempotency-Key",
      message: sentences.api.idempotencyKeyLength,
    });
  return key;
}

/** Which of a request's labels change nothing here, for the answer to say so. */
export const unusedOf = (body: object, names: readonly string[]): string[] =>
  names.filter(
    (name) =>
      (body as Record<string, unknown>)[name] !== undefined &&
      (body as Record<string, unknown>)[name] !== null,
  );

/** What of a request had no effect: `unused` labels, and what its model's service lacks. */
export type Unmet = { unused: readonly string[]; dropped: readonly string[] };

/** The fields of an answer in addition to the API's own: its run, its cost, and the parameters without effect. */
export const aside = (
  run: Pick<OwnedRun, "id" | "costMicros" | "warnings">,
  { unused, dropped }: Unmet = { unused: [], dropped: [] },
) => ({
  run_id: run.id,
  cost_micros: run.costMicros,
  warnings: [
    ...run.warnings.map(({ message }: RunWarning) => message),
    ...dropped.map((name) => sentences.api.parameterDropped({ parameter: name })),
    ...unused.map((name) => sentences.api.parameterIgnored({ parameter: name })),
  ],
});

/** The headers of every answer. `dropped` may hold names that a program made up: no header takes all of their characters. */
export const headersOf = (
  runId: string,
  dropped: readonly string[] = [],
): Record<string, string> => ({
  "x-request-id": runId,
  ...(dropped.length > 0 && {
    "x-bottega-dropped": dropped
      .slice(0, droppedMost)
      .map((name) => name.replace(/[^\w.-]/g, "?").slice(0, 100))
      .join(", "),
  }),
});
const droppedMost = 50;

export const usageOf = (run: Pick<OwnedRun, "usage" | "costMicros">) => {
  const usage = (run.usage ?? {}) as Usage;
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedInputTokens = 0,
    cacheWriteTokens = 0,
    reasoningTokens = 0,
    imageInputTokens = 0,
  } = usage;
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens,
    imageInputTokens,
    total: inputTokens + outputTokens,
    /** False where the service says nothing of tokens: none is then no count. */
    isCounted: usage.inputTokens !== undefined || usage.outputTokens !== undefined,
  };
};

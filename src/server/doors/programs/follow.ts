import type { Context } from "hono";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelDetail, Run, RunWarning } from "#contract/entities.ts";
import { errors, isErrorCode, Problem } from "#contract/errors.ts";
import type { NeededScope } from "#contract/routes/scopes.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Usage } from "#domain/money/prices.ts";
import type { Actor, Scope } from "#domain/people/policy.ts";
import { mostBeforeAgainMs } from "#domain/runs/backoff.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { whyPaused } from "#engine/connections/circuit.ts";
import { usableModel } from "#engine/connections/usable-model.ts";
import { withdrawRun } from "#engine/follow/cancel.ts";
import { refuseSpentBudget } from "#engine/settle/hold-budget.ts";
import { isRefused, listAttempts } from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import type { ClientConnection } from "../../client-connection.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Env } from "../../env.ts";
import type { SentFiles } from "../../files/sent-files.ts";
import { readerLeft, type StreamedEvent } from "../../live/event-stream.ts";
import { AttemptReplaced, followRunEvents } from "../../live/run-events.ts";
import { isStillAllowed } from "../../still-allowed.ts";
import { createPlace, type Place } from "./place.ts";
import { RunProblem } from "./run-problem.ts";

/**
 * A request through an API for programs: its actor, its project, and a signal for the end of the
 * connection.
 */
export type Asking = {
  actor: Actor;
  projectId: string;
  c: Context<Env>;
  line: ClientConnection;
  /** Files extracted from the request's body. */
  files: SentFiles;
  gone: AbortSignal;
  scope: NeededScope;
  /** The slot of the run that the request waits for. */
  place: Place;
  /** Whether the answer is wanted only while the connection is open. */
  endsWithCaller: boolean;
  /** The program fetches the answer later, so the call doesn't wait on its connection. */
  isBackground?: true;
  /** Awaited before a file of the request is saved. */
  beforeFiles?: () => Promise<void>;
};

/** With “true”, a run continues after its program's connection closes; with “false”, it doesn't. */
const keepRunningHeader = "x-bottega-keep-running";

/** Converts a call that the gate has admitted to a program's request. */
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
  endsWithCaller: endsWithCaller(actor, c),
});

/** The header applies to one request, and precedes the setting of its key. */
function endsWithCaller({ key }: Actor, c: Context<Env>): boolean {
  if (keyOf(c) !== undefined) return false;
  const wish = c.req.header(keepRunningHeader);
  return wish === undefined ? key?.keepsRunning !== true : wish !== "true";
}

/** Aborts when the client disconnects. */
export function goneSignal(c: Context<Env>): AbortSignal {
  const gone = new AbortController();
  if (c.env.outgoing.destroyed) gone.abort(readerLeft);
  c.env.outgoing.on("close", () => gone.abort(readerLeft));
  return gone.signal;
}

/** Waiting for an unconfirmed run reveals nothing more. */
export const isOver = ({ state }: Pick<Run, "state">): boolean =>
  isFinal(state) || state === "unconfirmed";

/** Yields a run's events from its start to its end, as long as the key may read them. */
export function followRun(
  deps: ServerDeps,
  { actor, c, line, gone, scope }: Asking,
  runId: string,
  following: Following = {},
): AsyncGenerator<StreamedEvent> {
  const right = { permission: "view", needed: scope, kind: "run", id: runId } as const;
  const mayStill = () => isStillAllowed(deps, { actor, line, c }, right);
  return followRunEvents(deps, runId, 0, { actor, mayStill }, gone, { isOver, ...following });
}

/**
 * Whether the program appends what it gets, as in the stream of an answer, and whether it needs the
 * blocks of the text.
 */
type Following = { isAppended?: boolean; onlyStored?: boolean };

/** How often a call that waits for a slot checks whether its service is paused. */
const serviceLookMs = 500;

/**
 * Like `followRun`, for a call that is answered on its connection. It waits for a slot only for a
 * limited time, and neither while its service is paused nor once the server stops; then its run is
 * withdrawn, unless it is already claimed.
 * @throws RunProblem rate_limited, unavailable
 */
async function* followInTime(
  deps: ServerDeps,
  asking: Asking,
  runId: string,
  following?: Following,
) {
  const events = followRun(deps, asking, runId, following);
  try {
    let endOfWait: AbortSignal | undefined = deps.calls.endOfWait();
    // With the caller's own key, nothing was checked before: the run may have ended long ago.
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
    // The reader may have left between two events.
    void events.return(undefined);
  }
}

/**
 * Like `followInTime`, for a program that waits on its connection. A program that closes it early
 * no longer wants the answer: a text answer is canceled, anything else only if it hasn't been sent
 * yet, because paid results are saved. A program that sent its own key will ask again, and one that
 * set the header gets its answer later. The stream of an answer ends with an error if another
 * attempt replaces the one that the program has output of.
 */
export async function* followToAnswer(
  deps: ServerDeps,
  asking: Asking,
  runId: string,
  following?: Following,
) {
  let isReplaced = false;
  try {
    yield* (asking.isBackground ? followRun : followInTime)(deps, asking, runId, following);
  } catch (error) {
    isReplaced = error instanceof AttemptReplaced;
    throw isReplaced ? replaced(runId) : error;
  } finally {
    const isLeft = isReplaced || asking.gone.aborted;
    if (isLeft && asking.endsWithCaller && !deps.calls.isStopping())
      await hangUp(deps, runId).catch((error) =>
        deps.log.warn({ runId, error: String(error) }, "a run could not be ended with its caller"),
      );
  }
}

/** The end of a stream whose attempt was lost and replaced. */
export const replaced = (run: string): RunProblem => {
  const message = sentences.api.attemptReplaced({ run });
  return new RunProblem(new Problem("provider_interrupted", { message }), run, true);
};

async function hangUp(deps: ServerDeps, runId: string): Promise<void> {
  const run = await getRun(deps.store.read, runId);
  if (!run || isOver(run)) return;
  if (run.task === "chat") await deps.engine.cancelRun(runId);
  else await withdrawRun(deps, runId);
}

/** Invites the client to retry only if no earlier attempt can have been accepted. */
async function problemOfWithdrawn(
  deps: ServerDeps,
  runId: string,
  refusal: Problem,
): Promise<RunProblem> {
  if (!(await mayBeAccepted(deps, runId))) return new RunProblem(refusal, runId, false);
  const message = sentences.api.withdrawnAfterAttempt({ run: runId });
  return new RunProblem(new Problem(refusal.code, { message }), runId, true);
}

/**
 * Returns the reason to refuse a queued run's call before its next event; undefined when the event
 * came first.
 */
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
    // A database restart ends no call: the next check tries again.
    const paused = await whyPaused(deps, runId).catch(() => null);
    if (paused) return paused;
  }
}

/**
 * Returns the refusal of a call whose provider asked for a longer wait; null if the run waits for a
 * slot.
 */
async function whyLate(deps: ServerDeps, runId: string): Promise<Problem | null> {
  const run = deps.calls.isStopping() ? undefined : await getRun(deps.store.read, runId);
  const retryAfterMs = (run?.notBefore ?? 0) - deps.clock.now();
  return run && run.attempts > 0 && retryAfterMs > 0
    ? new Problem("provider_rate_limited", { message: sentences.api.providerWait, retryAfterMs })
    : null;
}

/** Whether a promise settles within a time and before a signal aborts. */
async function isWithin(
  promise: Promise<unknown>,
  waitMs: number,
  end: AbortSignal,
): Promise<boolean> {
  const { promise: isSettled, resolve } = Promise.withResolvers<boolean>();
  const onSettled = (): void => resolve(true);
  promise.then(onSettled, onSettled);
  const onEnd = (): void => resolve(false);
  // An already settled promise takes precedence over an aborted signal.
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

/**
 * Returns the run after following it to its end.
 * @throws RunProblem for any end but success
 */
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

/**
 * Adds the time until a retry to a temporary refusal: the provider's, or else this server's own.
 */
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

/** Returns the error of a run that didn't succeed. */
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

/**
 * Waits for the end of a run.
 * @returns undefined when the client has gone
 * @throws RunProblem
 */
export async function endOf(
  deps: ServerDeps,
  asking: Asking,
  runId: string,
): Promise<OwnedRun | undefined> {
  for await (const _ of followToAnswer(deps, asking, runId))
    if (asking.gone.aborted) return undefined;
  return asking.gone.aborted ? undefined : successOf(deps, runId);
}

/** Programs don't wait for approval: runs that need one are ended before anything is sent. */
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

/**
 * Refuses a request that its admission would refuse anyway, before its first file is saved. Requests
 * without files aren't checked twice.
 */
export function refuseBeforeFiles(deps: ServerDeps, asking: Asking, model: ModelDetail): void {
  // With a key, the request may repeat a run that is already paid.
  if (keyOf(asking.c) !== undefined) return;
  let check: Promise<void> | undefined;
  asking.beforeFiles = () => {
    check ??= requireAdmissible(deps, asking, model);
    return check;
  };
}

/** @throws Problem model_gone, budget_exceeded */
async function requireAdmissible(
  deps: ServerDeps,
  { actor, projectId }: Asking,
  model: ModelDetail,
): Promise<void> {
  const usable = await usableModel(deps, actor, projectId, model);
  // Each model behind an alias has a price of its own.
  if (model.connectionId !== aliasConnectionId)
    await refuseSpentBudget(deps, actor, projectId, usable);
}

/** Returns the caller's idempotency key, from the usual header. */
export function keyOf(c: Context<Env>): string | undefined {
  const key = c.req.header("idempotency-key");
  if (key !== undefined && (key === "" || key.length > 200))
    throw new Problem("invalid_input", {
      field: "Idempotency-Key",
      message: sentences.api.idempotencyKeyLength,
    });
  return key;
}

/** Returns which of a request's labels have no effect here, to report them in the answer. */
export const unusedOf = (body: object, names: readonly string[]): string[] =>
  names.filter(
    (name) =>
      (body as Record<string, unknown>)[name] !== undefined &&
      (body as Record<string, unknown>)[name] !== null,
  );

/**
 * The parts of a request without effect: `unused` labels, and parameters that the model's service
 * lacks.
 */
export type IgnoredParameters = { unused: readonly string[]; dropped: readonly string[] };

/**
 * Returns fields added to the API's own answer: its run, its cost, and parameters without effect.
 */
export const extraFields = (
  run: Pick<OwnedRun, "id" | "costMicros" | "warnings">,
  { unused, dropped }: IgnoredParameters = { unused: [], dropped: [] },
) => ({
  run_id: run.id,
  cost_micros: run.costMicros,
  warnings: [
    ...run.warnings.map(({ message }: RunWarning) => message),
    ...dropped
      // A run behind an alias names what its model lacks itself.
      .filter((name) => !run.warnings.some(({ feature }) => feature === name))
      .slice(0, maxDropped)
      .map((name) => sentences.api.parameterDropped({ parameter: name })),
    ...unused.map((name) => sentences.api.parameterIgnored({ parameter: name })),
  ],
});

/**
 * Returns the headers of every answer. `dropped` may contain names invented by a program, and
 * headers don't accept all their characters.
 */
export const headersOf = (
  runId: string,
  dropped: readonly string[] = [],
): Record<string, string> => ({
  "x-request-id": runId,
  ...(dropped.length > 0 && {
    "x-bottega-dropped": dropped
      .slice(0, maxDropped)
      .map((name) => name.replace(/[^\w.-]/g, "?").slice(0, 100))
      .join(", "),
  }),
});
/** A long conversation of another service can have thousands. */
const maxDropped = 50;

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
    /** False when the service reports no tokens, and then zero isn't a count. */
    isCounted: usage.inputTokens !== undefined || usage.outputTokens !== undefined,
  };
};

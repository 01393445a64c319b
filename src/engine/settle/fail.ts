import { type ErrorCode, Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { returnsNoFile } from "#contract/tasks.ts";
import { retryDelayMs } from "#domain/runs/backoff.ts";
import { type FailedPost, fateOfPost, goesToNextModel, isRetried } from "#domain/runs/repeat.ts";
import { ProviderError, type RunRequest } from "#providers/adapter.ts";
import type { AttemptRow } from "#store/database/schema.ts";
import { lastAttempt, updateAttempt } from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { lockRun, moveRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { recordFailure } from "../connections/circuit.ts";
import type { EngineDeps } from "../deps.ts";
import {
  attemptFacts,
  goesByJob,
  hasAttempts,
  type InHand,
  nothingLeft,
  takesToken,
} from "../in-hand.ts";
import { persist } from "../persist.ts";
import { costOf, estimateUsage } from "./cost.ts";
import { passOn } from "./pass-on.ts";
import {
  emptyOutcome,
  endIfCancelled,
  type Ingested,
  nothingIngested,
  settleRun,
  storedEvents,
  storeOutputs,
  toRunError,
} from "./settle.ts";
import { bytesOf, warnOfStorage, withStorageWarning } from "./storage-warning.ts";

/** The reason for another attempt, and the wait that the provider asks for. */
export type RetryReason = { reason: string; retryAfterMs: number | undefined };

/** The head start of another run over one that failed as a probe. */
const probeTurnMs = 500;
/**
 * How long a run returns to the queue after failing as a probe; after that it ends like any
 * failure.
 */
const probesForMs = 24 * 60 * 60_000;
const isYoung = (deps: EngineDeps, { createdAt }: OwnedRun): boolean =>
  deps.clock.now() - createdAt < probesForMs;

/** Failures of the exchange itself. Any other code is the provider's verdict on the request. */
const broken: ReadonlySet<ErrorCode> = new Set([
  "provider_interrupted",
  "provider_timeout",
  "provider_unreachable",
  "provider_protocol",
  "outcome_unknown",
]);

/** The facts of a failed attempt from the HTTP exchange and the adapter. */
function postOf(
  inHand: InHand,
  failure: ProviderError | undefined,
  status = inHand.wire.status,
): FailedPost {
  const { sentAt } = inHand.wire;
  const isAccepted = status !== null && status >= 200 && status < 300;
  const isVerdict =
    failure !== undefined && (failure.detail.final === true || !broken.has(failure.code));
  // A 2xx answer to a submit means that a job exists, whatever its body.
  const own = isAccepted
    ? !goesByJob(inHand) && (isVerdict || failure?.detail.ownShape === true)
    : failure?.detail.ownShape === true;
  return {
    sent: sentAt !== null,
    status,
    said: failure?.accepted ?? null,
    own,
    returnsText: returnsNoFile(inHand.run.task) && !goesByJob(inHand),
    token: takesToken(inHand),
    before: inHand.mayBeTaken,
    free: inHand.free,
  };
}

/** The error shown for lost text, which leaves nothing for a person to resolve. */
const asFailed = (failure: ProviderError): ProviderError =>
  failure.code === "outcome_unknown"
    ? new ProviderError("provider_failed", failure.accepted, failure.detail, { cause: failure })
    : failure;

/**
 * Handles an attempt that failed before any output. If it was refused or never sent, it is retried
 * later or fails for good. If its answer was lost, text fails, and a run that makes a file becomes
 * unconfirmed and is never sent again, unless the server is free.
 * @param request for the estimated cost of lost text
 * @param said what had been received, such as a part of a call that nobody was shown
 * @returns why to send again, for a submit with a client token that may have been accepted; the
 *   caller then does so
 */
export async function failAttempt(
  deps: EngineDeps,
  inHand: InHand,
  request: RunRequest,
  error: unknown,
  giveUp: AbortSignal,
  said: { text: string; reasoning: string; calls?: string } = { text: "", reasoning: "" },
): Promise<RetryReason | undefined> {
  const { run } = inHand;
  const failure = error instanceof ProviderError ? error : undefined;
  const post = postOf(inHand, failure);
  const runError = toRunError(
    failure && post.returnsText ? asFailed(failure) : error,
    run.connectionId,
  );
  if (failure === undefined)
    deps.log.error(
      { runId: run.id, error: error instanceof Error ? error.stack : String(error) },
      "an adapter failed",
    );
  const probeAgainAt = failure === undefined ? null : await recordFailure(deps, inHand, failure);
  const fate = fateOfPost(post);
  if (fate === "repeatable" && post.token) {
    const may =
      failure !== undefined &&
      (runError.retryable || failure.accepted !== "no") &&
      hasAttempts(run);
    if (may) return { reason: runError.message, retryAfterMs: failure.detail.retryAfterMs };
  }
  if (fate === "unknown" || (fate === "repeatable" && post.token))
    return void (await loseOutcome(deps, inHand, runError.message, giveUp));
  const usage =
    post.returnsText && fate === "taken" ? estimateUsage(request, said, inHand.wire.used) : {};
  const cost =
    fate === "not-taken"
      ? { usage, costMicros: 0, assumed: post.sent && !inHand.free }
      : { usage, costMicros: costOf(inHand, { usage }), assumed: false };
  const attempt = {
    ...attemptFacts(inHand),
    state: fate === "not-taken" ? ("refused" as const) : ("lost" as const),
  };
  // Without attempts left, it counts as any refusal.
  const forgotten = failure?.detail.forgotten === true && hasAttempts(run);
  if (
    failure !== undefined &&
    inHand.stopped.reason !== "cancel" &&
    goesToNextModel(post, { retryable: runError.retryable, forgotten })
  ) {
    const left = { error: runError, attempt, ...(post.sent && { cost }) };
    if (await passOn(deps, run, left, giveUp)) return undefined;
  }
  const isPassing =
    failure !== undefined &&
    isRetried(post, {
      retryable: runError.retryable,
      overloaded: failure.detail.overloaded === true,
      forgotten,
    });
  if (
    fate === "not-taken" &&
    probeAgainAt !== null &&
    inHand.stopped.reason !== "cancel" &&
    isYoung(deps, run)
  )
    return void (await requeueRun(
      deps,
      run,
      { reason: runError.message, attempt, probeAgainAt },
      giveUp,
    ));
  if (isPassing && hasAttempts(run))
    return void (await requeueRun(
      deps,
      run,
      { reason: runError.message, attempt, retryAfterMs: failure.detail.retryAfterMs },
      giveUp,
    ));
  await persist(deps, giveUp, (unit) =>
    settleRun(unit, deps, run, {
      ...emptyOutcome,
      steps: [fate === "not-taken" ? { type: "refused", again: false } : { type: "failed" }],
      interrupted: true,
      error: runError,
      warnings: inHand.warnings,
      ...cost,
      attempt: {
        ...attempt,
        ...(fate === "taken" && failure?.accepted === "yes" && { state: "ended" as const }),
      },
    }),
  );
  return undefined;
}

/**
 * Handles an internal error before anything was sent: the run is retried later or fails for good,
 * free of charge.
 */
export async function failUnsent(
  deps: EngineDeps,
  run: OwnedRun,
  error: unknown,
  giveUp: AbortSignal,
): Promise<void> {
  const runError = toRunError(error, run.connectionId);
  const isExplained = error instanceof ProviderError || error instanceof Problem;
  if (
    isExplained &&
    (await passOn(
      deps,
      run,
      { error: runError, attempt: { ...nothingLeft, state: "refused" } },
      giveUp,
    ))
  )
    return;
  const again = runError.retryable && hasAttempts(run);
  if (again)
    return requeueRun(
      deps,
      run,
      { reason: runError.message, attempt: { ...nothingLeft, state: "refused" } },
      giveUp,
    );
  await persist(deps, giveUp, (unit) =>
    settleRun(unit, deps, run, {
      ...emptyOutcome,
      steps: [{ type: "failed" }],
      interrupted: true,
      error: runError,
      costMicros: 0,
      attempt: { ...nothingLeft, state: "refused" },
    }),
  );
}

/**
 * Retries a job that a free server accepted and then forgot in a restart. False once the attempts
 * are used up.
 */
export async function sendForgotten(
  deps: EngineDeps,
  inHand: InHand,
  reason: string,
  giveUp: AbortSignal,
): Promise<boolean> {
  const { run, free } = inHand;
  if (!free || !hasAttempts(run)) return false;
  await requeueRun(
    deps,
    run,
    {
      reason,
      attempt: { ...(inHand.wire.sentAt !== null && attemptFacts(inHand)), state: "lost" },
    },
    giveUp,
  );
  return true;
}

/** Returns the run to the queue for another attempt. */
async function requeueRun(
  deps: EngineDeps,
  run: OwnedRun,
  failed: {
    reason: string;
    attempt: Partial<AttemptRow> & { state: "refused" | "lost" };
    retryAfterMs?: number;
    probeAgainAt?: number;
  },
  giveUp: AbortSignal,
): Promise<void> {
  const { reason, attempt, retryAfterMs, probeAgainAt } = failed;
  // Another waiting run becomes the next probe, so that a run that fails for its own reasons
  // doesn't block others.
  const notBefore =
    probeAgainAt === undefined
      ? deps.clock.now() + retryDelayMs(run.attempts - run.probes, retryAfterMs, deps.random())
      : probeAgainAt + probeTurnMs;
  await persist(deps, giveUp, async (unit) => {
    if (attempt.state === "refused" && (await followNamed(unit, run))) return;
    const moved = await moveRun(unit, {
      runId: run.id,
      fence: run.fence,
      step: attempt.state === "refused" ? { type: "refused", again: true } : { type: "restarted" },
      set: {
        not_before: notBefore,
        worker_id: null,
        placeless: 0,
        progress: null,
        queue_place: null,
        ...(probeAgainAt !== undefined && { probes: run.probes + 1 }),
      },
      events: [{ type: "run-requeued", payload: { reason, notBefore } }],
    });
    if (!moved) return;
    await updateAttempt(unit.tx, run.id, run.attempts, { ...attempt, ended_at: unit.at });
    await endIfCancelled(unit, deps, moved);
  });
}

/**
 * If a signed webhook named a job despite the refusal, the run stays with its worker, which follows
 * the job.
 */
async function followNamed(unit: Unit, run: OwnedRun): Promise<boolean> {
  await lockRun(unit.tx, run.id);
  const last = await lastAttempt(unit.tx, run.id);
  if (last?.number !== run.attempts || last.providerRequestId === null) return false;
  await updateAttempt(unit.tx, run.id, run.attempts, { state: "accepted", accepted_at: unit.at });
  const step = [{ type: "refused", again: true }, { type: "found" }] as const;
  await moveRun(unit, {
    runId: run.id,
    fence: run.fence,
    step,
    events: [{ type: "run-found", payload: {} }],
  });
  return true;
}

/**
 * Whether a partial answer's outcome is unknown: its run makes a file, and the provider gave no
 * verdict.
 */
export const isInDoubt = (inHand: InHand, error: unknown): boolean => {
  // A provider's SDK may hide the status. Partial output means that the request was accepted.
  const status = inHand.wire.status ?? 200;
  return (
    fateOfPost(postOf(inHand, error instanceof ProviderError ? error : undefined, status)) ===
    "unknown"
  );
};

/**
 * Makes a run unconfirmed, because the provider may have run it and may charge for it, until a
 * person or the provider resolves it.
 * @param kept files that arrived before and are saved; the run shows them in the meantime
 * @throws FileLeaving if a saved file has been collected
 */
export async function loseOutcome(
  deps: EngineDeps,
  inHand: Pick<InHand, "run" | "warnings" | "wire">,
  cause: string | null,
  giveUp: AbortSignal,
  kept: Ingested = nothingIngested,
): Promise<void> {
  const { run } = inHand;
  const warnings = [...inHand.warnings, ...kept.warnings];
  const error = toRunError(new ProviderError("outcome_unknown", "unknown"), run.connectionId);
  await persist(deps, giveUp, async (unit) => {
    const above = await warnOfStorage(deps, unit.tx, run, bytesOf(kept.assets));
    await updateAttempt(unit.tx, run.id, run.attempts, {
      ...(inHand.wire.sentAt !== null && attemptFacts(inHand)),
      state: "lost",
      ended_at: unit.at,
    });
    const moved = await moveRun(unit, {
      runId: run.id,
      fence: run.fence,
      step: { type: "lost" },
      set: {
        error: JSON.stringify({ ...error, ...(cause && { cause }) }),
        worker_id: null,
        progress: null,
        warnings: JSON.stringify(withStorageWarning(warnings, above)),
      },
      events: [
        ...storedEvents(kept.assets),
        { type: "run-settled", payload: { state: "unconfirmed", error, costMicros: null } },
      ],
    });
    if (moved)
      await storeOutputs(unit, moved, {
        assets: kept.assets,
        lost: kept.lost.map(({ index }) => index),
      });
  });
}

/**
 * Stops a run before anything is sent: a cancel ends it free of charge, and a shutdown returns it
 * to the queue.
 */
export async function leaveUnsent(
  deps: EngineDeps,
  inHand: InHand,
  giveUp: AbortSignal,
): Promise<void> {
  const { run } = inHand;
  await persist(deps, giveUp, async (unit) => {
    if (inHand.stopped.reason === "cancel")
      return void (await settleRun(unit, deps, run, {
        ...emptyOutcome,
        steps: [{ type: "cancelled" }],
        interrupted: true,
        costMicros: 0,
        warnings: inHand.warnings,
        attempt: { ...attemptFacts(inHand), state: "refused" },
      }));
    await updateAttempt(unit.tx, run.id, run.attempts, {
      ...attemptFacts(inHand),
      state: "refused",
      ended_at: unit.at,
    });
    await moveRun(unit, {
      runId: run.id,
      fence: run.fence,
      step: { type: "refused", again: true },
      set: { worker_id: null },
      events: [
        {
          type: "run-requeued",
          payload: { reason: sentences.runs.stoppedBeforeSending, notBefore: unit.at },
        },
      ],
    });
  });
}

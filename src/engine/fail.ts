import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { waitBeforeAgainMs } from "#domain/backoff.ts";
import { fateOfPost } from "#domain/repeat.ts";
import { ProviderError } from "#providers/adapter.ts";
import { updateAttempt } from "#store/attempts.ts";
import type { OwnedRun } from "#store/run-rows.ts";
import { moveRun } from "#store/runs.ts";
import type { AttemptRow } from "#store/schema.ts";
import { passOn } from "./aliases/pass-on.ts";
import { noteFailure } from "./circuit.ts";
import type { EngineDeps } from "./deps.ts";
import { attemptFacts, type InHand, nothingLeft, takesToken } from "./owned.ts";
import { persist } from "./persist.ts";
import { endIfCancelled, nothingCame, settleRun, toRunError } from "./settle.ts";

/** Why, and how long the provider asks us to wait. */
export type Again = { reason: string; retryAfterMs: number | undefined };

/**
 * An attempt that failed before any answer began. Provably not accepted: once more later, or failed for good. The answer
 * lost: unknown, and never sent again, unless the server is free of charge.
 * @returns for a submit that carried the provider's own token and may have been taken: that the caller shall send it again
 */
export async function failAttempt(deps: EngineDeps, inHand: InHand, error: unknown, shutdown: AbortSignal): Promise<Again | undefined> {
  const { run, wire } = inHand;
  const failure = error instanceof ProviderError ? error : undefined;
  const runError = toRunError(error, run.connectionId);
  if (failure === undefined)
    deps.log.error({ runId: run.id, error: error instanceof Error ? error.stack : String(error) }, "an adapter failed");
  else await noteFailure(deps, inHand, failure);
  const free = inHand.adapter.free === true;
  const sent = wire.sentAt !== null;
  const token = takesToken(inHand);
  const fate = fateOfPost({ sent, status: wire.status, said: failure?.accepted ?? null, token, before: inHand.mayBeTaken, free });
  if (fate === "repeatable" && token) {
    const may = failure !== undefined && (runError.retryable || failure.accepted !== "no") && run.attempts < limits.attemptsPerRun;
    if (may) return { reason: runError.message, retryAfterMs: failure.detail.retryAfterMs };
  }
  if (fate === "unknown" || (fate === "repeatable" && token)) return void (await loseOutcome(deps, inHand, runError.message, shutdown));
  if (fate === "not-taken" && inHand.stopped.reason !== "cancel" && failure !== undefined) {
    if (await passOn(deps, run, { error: runError, attempt: attemptFacts(inHand) }, shutdown)) return undefined;
  }
  const isLost = fate === "repeatable" && failure?.accepted !== "yes";
  const again = failure !== undefined && (runError.retryable || isLost) && fate !== "taken" && run.attempts < limits.attemptsPerRun;
  const attempt = { ...attemptFacts(inHand), state: fate === "not-taken" ? ("refused" as const) : ("lost" as const) };
  if (again)
    return void (await sendAgain(deps, run, { reason: runError.message, attempt, retryAfterMs: failure.detail.retryAfterMs }, shutdown));
  await persist(deps, shutdown, (tx, outbox) =>
    settleRun(deps, tx, outbox, run, {
      ...nothingCame,
      steps: [fate === "not-taken" ? { type: "refused", again: false } : { type: "failed" }],
      interrupted: true,
      error: runError,
      warnings: inHand.warnings,
      costMicros: fate === "not-taken" || free ? 0 : null,
      attempt: { ...attemptFacts(inHand), state: fate === "not-taken" ? "refused" : "ended" },
    }),
  );
  return undefined;
}

/** An error of our own before anything had left: once more later, or failed for good. Nobody took it, and nobody charges for it. */
export async function failUnsent(deps: EngineDeps, run: OwnedRun, error: unknown, shutdown: AbortSignal): Promise<void> {
  const runError = toRunError(error, run.connectionId);
  const isTold = error instanceof ProviderError || error instanceof Problem;
  if (isTold && (await passOn(deps, run, { error: runError, attempt: nothingLeft }, shutdown))) return;
  const again = runError.retryable && run.attempts < limits.attemptsPerRun;
  if (again) return sendAgain(deps, run, { reason: runError.message, attempt: { ...nothingLeft, state: "refused" } }, shutdown);
  await persist(deps, shutdown, (tx, outbox) =>
    settleRun(deps, tx, outbox, run, {
      ...nothingCame,
      steps: [{ type: "failed" }],
      interrupted: true,
      error: runError,
      costMicros: 0,
      attempt: { ...nothingLeft, state: "refused" },
    }),
  );
}

/** A free server forgot a job that it had taken (it was restarted): once more later. False when that was often enough. */
export async function sendForgotten(deps: EngineDeps, inHand: InHand, reason: string, shutdown: AbortSignal): Promise<boolean> {
  const { run, adapter } = inHand;
  if (!adapter.free || run.attempts >= limits.attemptsPerRun) return false;
  await sendAgain(deps, run, { reason, attempt: { ...(inHand.wire.sentAt !== null && attemptFacts(inHand)), state: "lost" } }, shutdown);
  return true;
}

/** Back into the queue, for a later attempt of its own. */
async function sendAgain(
  deps: EngineDeps,
  run: OwnedRun,
  failed: { reason: string; attempt: Partial<AttemptRow> & { state: "refused" | "lost" }; retryAfterMs?: number },
  shutdown: AbortSignal,
): Promise<void> {
  const { reason, attempt, retryAfterMs } = failed;
  const at = deps.clock.now();
  const notBefore = at + waitBeforeAgainMs(run.attempts, retryAfterMs, deps.random());
  await persist(deps, shutdown, async (tx, outbox) => {
    const moved = await moveRun(deps.store, tx, outbox, {
      runId: run.id,
      fence: run.fence,
      step: attempt.state === "refused" ? { type: "refused", again: true } : { type: "restarted" },
      set: { not_before: notBefore, worker_id: null, progress: null, queue_place: null },
      events: [{ type: "run-requeued", payload: { reason, notBefore } }],
      at,
    });
    if (!moved) return;
    await updateAttempt(tx, run.id, run.attempts, { ...attempt, ended_at: at });
    await endIfCancelled(deps, tx, outbox, moved);
  });
}

/** The provider may have made it, and may charge for it: the run is unconfirmed until somebody or something tells. */
export async function loseOutcome(deps: EngineDeps, inHand: InHand, cause: string | null, shutdown: AbortSignal): Promise<void> {
  const { run } = inHand;
  const at = deps.clock.now();
  const error = toRunError(new ProviderError("outcome_unknown", "unknown"), run.connectionId);
  await persist(deps, shutdown, async (tx, outbox) => {
    await updateAttempt(tx, run.id, run.attempts, {
      ...(inHand.wire.sentAt !== null && attemptFacts(inHand)),
      state: "lost",
      ended_at: at,
    });
    await moveRun(deps.store, tx, outbox, {
      runId: run.id,
      fence: run.fence,
      step: { type: "lost" },
      set: { error: JSON.stringify({ ...error, ...(cause && { cause }) }), worker_id: null, warnings: JSON.stringify(inHand.warnings) },
      events: [{ type: "run-settled", payload: { state: "unknown", error, costMicros: null } }],
      at,
    });
  });
}

/** Stopped before anything left: a cancel ends the run free of charge, the server's stop puts it back. */
export async function leaveUnsent(deps: EngineDeps, inHand: InHand, shutdown: AbortSignal): Promise<void> {
  const { run } = inHand;
  const at = deps.clock.now();
  await persist(deps, shutdown, async (tx, outbox) => {
    if (inHand.stopped.reason === "cancel")
      return void (await settleRun(deps, tx, outbox, run, {
        ...nothingCame,
        steps: [{ type: "cancelled" }],
        interrupted: true,
        costMicros: 0,
        warnings: inHand.warnings,
        attempt: { ...attemptFacts(inHand), state: "refused" },
      }));
    await updateAttempt(tx, run.id, run.attempts, { ...attemptFacts(inHand), state: "refused", ended_at: at });
    await moveRun(deps.store, tx, outbox, {
      runId: run.id,
      fence: run.fence,
      step: { type: "refused", again: true },
      set: { worker_id: null },
      events: [{ type: "run-requeued", payload: { reason: "The server was stopped before this was sent.", notBefore: at } }],
      at,
    });
  });
}

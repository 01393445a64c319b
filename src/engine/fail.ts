import { limits } from "#contract/limits.ts";
import { ProviderError } from "#providers/adapter.ts";
import { updateAttempt } from "#store/attempts.ts";
import { moveRun } from "#store/runs.ts";
import type { EngineDeps } from "./deps.ts";
import { attemptFacts, type InHand } from "./owned.ts";
import { persist } from "./persist.ts";
import { nothingCame, settleRun, toRunError } from "./settle.ts";

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/** How long until the next attempt: the provider's word, else doubling, with jitter so that many do not come at once. */
export function waitBeforeAgainMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  const base = Math.min(firstWaitMs * 2 ** (attempt - 1), longestWaitMs);
  return Math.round(base / 2 + ((random / 2 ** 31) * base) / 2);
}

/**
 * An attempt that failed before any answer began. Provably not accepted: once more later, or failed for good. The answer
 * lost: unknown, and never sent again, unless the server is free of charge.
 */
export async function failAttempt(deps: EngineDeps, inHand: InHand, error: unknown, shutdown: AbortSignal): Promise<void> {
  const { run } = inHand;
  const failure = error instanceof ProviderError ? error : undefined;
  const runError = toRunError(error, run.connectionId);
  if (failure === undefined)
    deps.log.error({ runId: run.id, error: error instanceof Error ? error.stack : String(error) }, "an adapter failed");
  // An error that the adapter did not classify says nothing about what the provider did, once a byte has left.
  const accepted = failure?.accepted ?? (inHand.wire.sentAt === null ? "no" : "unknown");
  const free = inHand.adapter.free === true;
  // A free server whose answer was lost is asked again: nobody pays for what it may have made.
  const passing = (runError.retryable || (free && accepted === "unknown")) && run.attempts < limits.attemptsPerRun;
  if (accepted === "unknown" && !free) return loseOutcome(deps, inHand, runError.message, shutdown);
  const at = deps.clock.now();
  await persist(deps, shutdown, async (tx, outbox) => {
    const facts = attemptFacts(inHand);
    if (passing && failure !== undefined && (accepted === "no" || free)) {
      const notBefore = at + waitBeforeAgainMs(run.attempts, failure.detail.retryAfterMs, deps.random());
      await updateAttempt(tx, run.id, run.attempts, { ...facts, state: "refused", ended_at: at });
      await moveRun(deps.store, tx, outbox, {
        runId: run.id,
        fence: run.fence,
        step: { type: "refused", again: true },
        set: { not_before: notBefore, worker_id: null },
        events: [{ type: "run-requeued", payload: { reason: runError.message, notBefore } }],
        at,
      });
      return;
    }
    const step = accepted === "no" ? ({ type: "refused", again: false } as const) : ({ type: "failed" } as const);
    await settleRun(deps, tx, outbox, run, {
      ...nothingCame,
      steps: [step],
      interrupted: true,
      error: runError,
      warnings: inHand.warnings,
      costMicros: accepted === "no" || free ? 0 : null,
      attempt: { ...facts, state: "refused" },
    });
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
        attempt: { state: "refused" },
      }));
    await updateAttempt(tx, run.id, run.attempts, { state: "refused", ended_at: at });
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

import type { MessagePart } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { WaitingReason } from "#contract/waiting-reasons.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { ProviderError } from "#providers/adapter.ts";
import { getConnection } from "#store/models/connections.ts";
import { getModel } from "#store/models/models.ts";
import { isRefused, listAttempts } from "#store/runs/attempts.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun, lockRun, releaseIdempotencyKey, requestCancel } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import { goesByJob } from "../in-hand.ts";
import { emptyOutcome, settleRun, toRunError } from "../settle/settle.ts";
import { partsOf } from "./answer.ts";
import { continuedParts, readSavedAnswer } from "./saved-answer.ts";

/**
 * Cancels a run. A queued run ends immediately; any other is marked, and its owner cancels it at
 * the provider if possible. The mark on an unconfirmed job applies once the job's id is known, from
 * a late answer, a webhook or a poll.
 * @throws Problem conflict for an unconfirmed run that isn't a job, because it can't be canceled
 */
export async function cancelRun(
  deps: EngineDeps,
  runId: string,
  tellOwner: (runId: string) => void,
): Promise<OwnedRun> {
  const hasJob = await isJob(deps, runId);
  await deps.commit(async (unit) => {
    // Reads the state under the row lock: a run that is being claimed must not end as if it was
    // never sent.
    const run = await lockRun(unit.tx, runId);
    if (!run) throw new Problem("not_found");
    if (run.state === "queued")
      await settleRun(unit, deps, run, {
        ...emptyOutcome,
        steps: [{ type: "cancelled" }],
        interrupted: true,
        costMicros: 0,
      });
    else if (run.state === "unconfirmed" && !hasJob)
      throw new Problem("conflict", {
        message: sentences.runs.resolveInstead,
      });
    else if (!isFinal(run.state)) await requestCancel(unit, runId);
  });
  tellOwner(runId);
  const run = await getRun(deps.store.db, runId);
  if (!run) throw new Problem("not_found");
  return run;
}

/** Whether the run is a job of its provider, according to the connection's current settings. */
async function isJob(deps: EngineDeps, runId: string): Promise<boolean> {
  const run = await getRun(deps.store.read, runId);
  const connection = run && (await getConnection(deps.store.read, run.connectionId));
  const adapter = connection && (await deps.kinds.get(connection.kind)?.load());
  if (!run || !connection || !adapter?.job) return false;
  const model = await getModel(deps.store.read, run.connectionId, run.modelId);
  return goesByJob({ adapter, connection, run, model: model ?? { inputSchema: null } });
}

/**
 * Ends an unclaimed run and frees its key for another try, unless an earlier attempt may have been
 * accepted: the same key must not pay twice. The cost of such an attempt stays booked. False if the
 * run is no longer queued.
 */
export function withdrawRun(deps: EngineDeps, runId: string): Promise<boolean> {
  return deps.commit(async (unit) => {
    const run = await lockRun(unit.tx, runId);
    if (run?.state !== "queued") return false;
    await settleRun(unit, deps, run, {
      ...emptyOutcome,
      steps: [{ type: "cancelled" }],
      interrupted: true,
      costMicros: 0,
    });
    const attempts = await listAttempts(unit.tx, runId);
    if (attempts.every(isRefused)) await releaseIdempotencyKey(unit.tx, runId);
    return true;
  });
}

/**
 * Refuses a run that needs approval. A run approved in the meantime continues.
 * @throws Problem conflict
 */
export async function refuseRun(
  deps: EngineDeps,
  runId: string,
  waitingFor: WaitingReason,
): Promise<void> {
  await deps.commit(async (unit) => {
    const run = await lockRun(unit.tx, runId);
    if (run?.state !== "queued" || run.waitingFor !== waitingFor)
      throw new Problem("conflict", { message: sentences.runs.noApprovalFromYou });
    await settleRun(unit, deps, run, {
      ...emptyOutcome,
      steps: [{ type: "cancelled" }],
      interrupted: true,
      costMicros: 0,
    });
  });
}

/** The partial text of an answer that became unconfirmed. */
async function partsSoFar(deps: EngineDeps, run: OwnedRun): Promise<MessagePart[]> {
  if (run.task !== "chat" || run.firstOutputAt === null) return [];
  const saved = await readSavedAnswer(deps, run.id);
  return partsOf(saved, await continuedParts(deps, run), saved.sources);
}

/**
 * A person's resolution of an unconfirmed run. `costMicros` is what the provider charged according
 * to its own records; null if unknown.
 */
export type Resolution =
  | { outcome: "not-made" }
  | { outcome: "made-elsewhere"; costMicros: number | null };

/** The message on the run, which a tool's run also passes to the model that called it. */
function resolutionMessage({ task }: OwnedRun, { outcome }: Resolution): string {
  if (task === "tool") return sentences.runs.toolMarked({ isDone: outcome !== "not-made" });
  return outcome === "not-made" ? sentences.runs.markedNotMade : sentences.runs.markedMade;
}

/**
 * Resolves an unconfirmed run as a person decides: not made, or made and charged without its result
 * here.
 */
export async function resolveRun(
  deps: EngineDeps,
  runId: string,
  resolution: Resolution,
): Promise<OwnedRun> {
  const known = await getRun(deps.store.db, runId);
  const parts = known ? await partsSoFar(deps, known) : [];
  return deps.commit(async (unit) => {
    const run = await lockRun(unit.tx, runId);
    if (run?.state !== "unconfirmed")
      throw new Problem("conflict", { message: sentences.runs.notUnconfirmed });
    const message = resolutionMessage(run, resolution);
    const error = toRunError(
      new ProviderError("outcome_unknown", "unknown", { message }),
      run.connectionId,
    );
    const settled = await settleRun(unit, deps, run, {
      ...emptyOutcome,
      steps: [{ type: "said-not-made" }],
      parts,
      interrupted: true,
      costMicros: resolution.outcome === "not-made" ? 0 : resolution.costMicros,
      warnings: run.warnings,
      error,
    });
    if (!settled) throw new Problem("conflict");
    return settled;
  });
}

import type { MessagePart, RunError } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { returnsNoFile } from "#contract/tasks.ts";
import { ProviderError } from "#providers/adapter.ts";
import { listOutputs } from "#store/runs/outputs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { Fenced, getRun } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import { partsOf } from "../follow/answer.ts";
import { continuedParts, readSavedAnswer } from "../follow/saved-answer.ts";
import { type InHand, nothingOnWire } from "../in-hand.ts";
import { isOurStorage } from "../ingest/download-output.ts";
import { persist } from "../persist.ts";
import { loseOutcome } from "../settle/fail.ts";
import { emptyOutcome, settleRun, toRunError } from "../settle/settle.ts";

/**
 * Ends a run that an internal error keeps from ending, and writes as little as possible, because
 * any part may be what the database refuses. Text and an arrived result end as failed, at the known
 * cost or else the reservation. Any other run may still be active at its provider and becomes
 * unconfirmed.
 * @param inHand undefined if the run's connection or model couldn't be read
 * @throws the database's error if it refuses this too
 * @throws Fenced when another worker owns the run
 */
export async function endUnsaved(
  deps: EngineDeps,
  { id, fence }: Pick<OwnedRun, "id" | "fence">,
  inHand: InHand | undefined,
  error: unknown,
  giveUp: AbortSignal,
): Promise<void> {
  const run = await getRun(deps.store.db, id);
  if (!run || run.workerId === null) return;
  if (run.fence !== fence) throw new Fenced(id);
  const runError = toUnsavedError(run, error);
  const isStoring = run.state === "storing";
  const isOver = isStoring || returnsNoFile(run.task) || run.task === "live" || inHand?.free;
  if (!isOver) {
    const { warnings, wire } = inHand ?? { warnings: run.warnings, wire: nothingOnWire() };
    return loseOutcome(deps, { run, warnings, wire }, runError.message, giveUp);
  }
  const outputs = await listOutputs(deps.store.db, id);
  const settle = (parts: MessagePart[]) =>
    persist(deps, giveUp, (unit) =>
      settleRun(unit, deps, run, {
        ...emptyOutcome,
        steps: [{ type: isStoring ? "outputs-lost" : "failed" }],
        parts,
        interrupted: true,
        lost: outputs.flatMap(({ index, state }) => (state === "stored" ? [] : [index])),
        costMicros: inHand?.free ? 0 : run.costMicros,
        error: runError,
        warnings: run.warnings,
        attempt: { state: isStoring ? "ended" : "lost" },
      }),
    );
  const saved = run.task === "chat" ? await readSavedAnswer(deps, id) : null;
  const parts = saved ? partsOf(saved, await continuedParts(deps, run), saved.sources) : [];
  try {
    await settle(parts);
  } catch (refused) {
    if (refused instanceof Fenced || isOurStorage(refused) || parts.length === 0) throw refused;
    // The text itself may be what the database refuses. It stays in the run's log.
    await settle([]);
  }
}

/**
 * The error that people read. A Problem explains itself; any other error is in the server's log.
 */
function toUnsavedError({ state, connectionId }: OwnedRun, error: unknown): RunError {
  const runFailure = toRunError(error, connectionId);
  if (error instanceof Problem || error instanceof ProviderError) return runFailure;
  const message = state === "storing" ? sentences.runs.resultNotSaved : sentences.runs.endNotSaved;
  return { ...runFailure, message };
}

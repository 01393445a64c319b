import { settleInBudgets } from "#store/money/budgets.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import { addUsage } from "#store/money/usage-rollup.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { dayOf, notifyBudgets } from "./settle.ts";

/** The author and reason of a correction; a provider's own late report needs neither. */
export type AdjustReason = { actorId?: string; note?: string };

/**
 * Books a change of a run's cost after its settlement as an `adjust` of the difference, in
 * micro-dollars of either sign. It counts in the period in which the run was admitted and on the
 * current day. The settlement itself stays.
 */
export async function adjustCost(
  unit: Unit,
  deps: Pick<EngineDeps, "store" | "ids">,
  run: OwnedRun,
  micros: number,
  reason: AdjustReason = {},
): Promise<void> {
  if (micros === 0) return;
  const {
    id: runId,
    projectId,
    userId,
    apiKeyId,
    connectionId,
    modelId,
    createdAt: admittedAt,
  } = run;
  const warnings = await settleInBudgets(
    deps.store,
    unit.tx,
    { projectId, userId, apiKeyId },
    { heldMicros: 0, spentMicros: micros, admittedAt },
  );
  const payer = { projectId, userId, connectionId, modelId };
  await insertLedgerEntry(unit.tx, {
    ...payer,
    id: deps.ids(),
    runId,
    apiKeyId,
    kind: "adjust",
    micros,
    admittedAt,
    at: unit.at,
    ...reason,
  });
  // The settlement has already counted the run.
  await addUsage(unit.tx, { ...payer, apiKeyId, day: dayOf(unit.at), runs: 0, tokens: 0, micros });
  notifyBudgets(unit, run, warnings);
}

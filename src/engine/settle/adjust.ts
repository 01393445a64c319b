import { settleInBudgets } from "#store/money/budgets.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import { addUsage } from "#store/money/usage-rollup.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { dayOf, tellOfBudgets } from "./settle.ts";

/** Who says that a cost was another, and why; a provider's own late word needs neither. */
export type AdjustReason = { actorId?: string; note?: string };

/**
 * Books what a run turned out to cost after its settlement, which stays the only one: an `adjust` of the difference, in the
 * period in which the run was admitted, and on the day on which it is known. Micro-dollars, of either sign.
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
  // Its run was counted when it was settled.
  await addUsage(unit.tx, { ...payer, apiKeyId, day: dayOf(unit.at), runs: 0, tokens: 0, micros });
  tellOfBudgets(unit, run, warnings);
}

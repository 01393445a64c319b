import { sentences } from "#contract/sentences/index.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { listBookedCosts } from "#store/money/bills.ts";
import { noteAfterEnd } from "#store/runs/ended-runs.ts";
import { lockRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { adjustCost } from "../settle/adjust.ts";

/**
 * A run's billed amount, and its booked amount at the time of the comparison, both in
 * micro-dollars.
 */
export type BilledCost = { runId: string; billedMicros: number; bookedMicros: number };

const notes = {
  bill: sentences.money.fromBill,
  invoice: sentences.money.fromInvoice,
} as const;

/**
 * Books the billed amounts for a connection's runs, each as an `adjust` of the difference with its
 * author. Each run has its own unit, so that other writes don't wait for hundreds.
 * @returns the runs left unchanged: active ones, those of another connection, and those whose
 *   booked cost has changed since
 */
export async function adoptCosts(
  deps: EngineDeps,
  connectionId: string,
  costs: readonly BilledCost[],
  by: { actorId: string; source: keyof typeof notes },
): Promise<{ adopted: number; left: string[] }> {
  const left: string[] = [];
  for (const cost of costs) {
    const isAdopted = await deps.commit((unit) => adopt(unit, deps, connectionId, cost, by));
    if (!isAdopted) left.push(cost.runId);
  }
  return { adopted: costs.length - left.length, left };
}

async function adopt(
  unit: Unit,
  deps: EngineDeps,
  connectionId: string,
  { runId, billedMicros, bookedMicros }: BilledCost,
  { actorId, source }: { actorId: string; source: keyof typeof notes },
): Promise<boolean> {
  const run = await lockRun(unit.tx, runId);
  if (!run || !isFinal(run.state)) return false;
  const costs = await listBookedCosts(unit.tx, runId);
  const here = costs.find((cost) => cost.connectionId === connectionId);
  if ((!here && run.connectionId !== connectionId) || (here?.micros ?? 0) !== bookedMicros)
    return false;
  const ofModel = { ...run, connectionId, modelId: here?.modelId ?? run.modelId };
  await adjustCost(unit, deps, ofModel, billedMicros - bookedMicros, {
    actorId,
    note: notes[source],
  });
  // Behind an alias, other models may have charged for the run as well. Their own bills give the
  // amounts.
  const elsewhere = costs.filter((cost) => cost !== here && cost.micros !== 0);
  const elsewhereMicros = elsewhere.reduce((sum, { micros }) => sum + micros, 0);
  const isWhole = elsewhere.length === 0;
  await noteAfterEnd(unit, {
    runId,
    events: [],
    set: {
      cost_micros: billedMicros + elsewhereMicros,
      cost_basis: isWhole ? "known" : "estimated",
    },
  });
  return true;
}

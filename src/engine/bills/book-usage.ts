import { sentences } from "#contract/sentences/index.ts";
import { costOfUsage } from "#domain/money/prices.ts";
import type { Usage } from "#providers/adapter.ts";
import { findUnpricedRuns } from "#store/checks/unpriced-checks.ts";
import type { Reader } from "#store/database/store.ts";
import { listBookedCosts } from "#store/money/bills.ts";
import { noteAfterEnd } from "#store/runs/ended-runs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { lockRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { adjustCost } from "../settle/adjust.ts";
import { type BookedCost, costsOfLeftAttempts, withLeftAttempts } from "../settle/settle.ts";

/** A run without a cost, and the cost computed from its price and usage, in micro-dollars. */
export type UnbookedCost = { run: OwnedRun; micros: number };

/** Finds succeeded runs without a cost that can be computed from their price and usage. */
export async function findUnbookedCosts(db: Reader): Promise<UnbookedCost[]> {
  const found: UnbookedCost[] = [];
  for (const run of await findUnpricedRuns(db)) {
    const { micros } = await costFromUsage(db, run);
    if (micros !== null) found.push({ run, micros });
  }
  return found;
}

/** The sum over all models that an alias tried, known only if the cost of each is known. */
async function costFromUsage(db: Reader, run: OwnedRun): Promise<BookedCost> {
  const usage = run.usage as Usage;
  const own = costOfUsage(run.prices, usage);
  if (own === null) return { micros: null, basis: null };
  const basis = usage.units?.estimated ? "estimated" : "known";
  return withLeftAttempts({ micros: own, basis }, await costsOfLeftAttempts(db, run));
}

/**
 * Books the cost computed from a run's price and usage as an `adjust`, because the run is already
 * settled.
 * @returns false if the cost is known already
 */
export async function bookFromUsage(
  unit: Unit,
  deps: Pick<EngineDeps, "store" | "ids" | "clock">,
  runId: string,
): Promise<boolean> {
  const run = await lockRun(unit.tx, runId);
  if (!run || run.costMicros !== null || run.usage === null) return false;
  const cost = await costFromUsage(unit.tx, run);
  if (cost.micros === null) return false;
  // The costs of earlier models were booked when the run was passed on from them.
  const booked = (await listBookedCosts(unit.tx, runId)).reduce(
    (sum, { micros }) => sum + micros,
    0,
  );
  const note = sentences.money.fromUsage;
  await adjustCost(unit, deps, run, cost.micros - booked, { note });
  const set = { cost_micros: cost.micros, cost_basis: cost.basis };
  await noteAfterEnd(unit, { runId, events: [], set });
  return true;
}

import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { WaitingReason } from "#contract/waiting-reasons.ts";
import { isFree } from "#domain/money/free.ts";
import type { Tx } from "#store/database/store.ts";
import { approvalNeeded } from "#store/money/budgets.ts";
import { listWaitingIds, listWaitingRuns } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { changeWaiting, lockRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { allowAlways } from "../tools/calls.ts";

const atOnce = 200;

type ApproveDeps = Pick<EngineDeps, "store" | "commit">;

/**
 * Approves a waiting run, which can then be claimed. `always` also approves the tool's later calls
 * in the conversation.
 * @throws Problem conflict if the run no longer waits for this approval
 */
export async function approveRun(
  deps: ApproveDeps,
  runId: string,
  waitingFor: WaitingReason,
  word?: { always: boolean },
): Promise<OwnedRun> {
  return deps.commit(async (unit) => {
    const run = await takeApproval(unit, deps, runId, waitingFor);
    if (!run) throw new Problem("conflict", { message: sentences.runs.noApproval });
    if (word?.always && waitingFor === "asker") await allowAlways(unit, run);
    return run;
  });
}

/**
 * Takes one approval. An approval after a restore, or by the asker, doesn't cover a budget: a run
 * over a budget that requires approval then waits for that one.
 */
async function takeApproval(
  unit: Unit,
  deps: ApproveDeps,
  runId: string,
  from: WaitingReason,
): Promise<OwnedRun | undefined> {
  const isOfMoney = from === "manager" || from === "admin";
  const run = isOfMoney ? undefined : await lockRun(unit.tx, runId);
  const to = run ? await approvalFor(deps, unit.tx, run) : null;
  return changeWaiting(unit, runId, { from, to });
}

/** The approval that the current budgets require for a queued run; null if the run is free. */
async function approvalFor(
  deps: Pick<EngineDeps, "store">,
  tx: Tx,
  run: OwnedRun,
): Promise<WaitingReason | null> {
  if (run.heldMicros === 0 && isFree(run.prices)) return null;
  return approvalNeeded(deps.store, tx, run, {
    isBounded: run.heldMicros > 0,
    admittedAt: run.createdAt,
  });
}

/**
 * Locks runs until the unit ends. Runs are locked before the ledger, in the same order as a
 * settlement.
 */
async function lockRuns(tx: Tx, ids: readonly string[]): Promise<OwnedRun[]> {
  const locked: OwnedRun[] = [];
  for (const id of ids) {
    const run = await lockRun(tx, id);
    if (run) locked.push(run);
  }
  return locked;
}

/**
 * Reviews waiting runs after a budget changes. Runs within all budgets continue; others may need a
 * different approval.
 */
export async function reviewWaiting(deps: ApproveDeps): Promise<void> {
  for (let after = ""; ; ) {
    const runs = await listWaitingRuns(deps.store.db, { after, limit: atOnce });
    await deps.commit(async (unit) => {
      const ids = runs.map(({ run }) => run.id);
      for (const run of await lockRuns(unit.tx, ids)) {
        if (run.waitingFor !== "manager" && run.waitingFor !== "admin") continue;
        const to = await approvalFor(deps, unit.tx, run);
        if (to !== run.waitingFor)
          await changeWaiting(unit, run.id, {
            from: run.waitingFor,
            to,
          });
      }
    });
    if (runs.length < atOnce) return;
    after = runs.at(-1)!.run.id;
  }
}

/**
 * Approves all of a project's waiting runs that the person can see.
 * @returns how many of them no longer wait
 */
export async function approveRuns(
  deps: ApproveDeps,
  which: { projectId: string; userId: string; waitingFor: WaitingReason },
): Promise<number> {
  let approved = 0;
  for (;;) {
    const ids = await listWaitingIds(deps.store.db, { ...which, limit: atOnce });
    approved += await deps.commit(async (unit) => {
      let gone = 0;
      await lockRuns(unit.tx, ids);
      for (const id of ids)
        if ((await takeApproval(unit, deps, id, which.waitingFor))?.waitingFor === null) gone++;
      return gone;
    });
    if (ids.length < atOnce) return approved;
  }
}

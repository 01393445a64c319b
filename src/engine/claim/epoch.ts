import { sentences } from "#contract/sentences/index.ts";
import { returnsNoFile } from "#contract/tasks.ts";
import type { EpochReason } from "#contract/waiting-reasons.ts";
import { type Adapter, ProviderError } from "#providers/adapter.ts";
import type { Tx } from "#store/database/store.ts";
import { getConnection, type SealedConnection } from "#store/models/connections.ts";
import { getModel } from "#store/models/models.ts";
import { lockInstance } from "#store/people/people.ts";
import { updateAttempt } from "#store/runs/attempts.ts";
import {
  type ActiveRun,
  getPlace,
  listActiveRuns,
  listQueued,
  replaceEpoch,
  setPlace,
} from "#store/runs/epoch.ts";
import { changeWaiting, moveRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { isFreeAt } from "../connections/run-place.ts";
import type { EngineDeps } from "../deps.ts";
import { goesByJob } from "../in-hand.ts";
import { toRunError } from "../settle/settle.ts";

type Deps = Pick<EngineDeps, "store" | "commit" | "kinds" | "clock" | "ids">;
/**
 * The runs found at the start of an epoch, by what becomes of them, and the number of webhooks
 * paused by it.
 */
export type NewEpoch = Record<RunFate, number> & { webhooks: number };
type RunFate = "waiting" | "unconfirmed" | "followed";

/**
 * Called at every start, before a run can be claimed or taken over. If the database isn't at the
 * place it was last served from, it is a copy or a restored backup and lacks everything the
 * original has done since. Nothing is then sent without a person: queued runs, including free ones,
 * wait for approval. Of the active runs, jobs with a known id are polled, files with an address are
 * fetched, and text answers end as failed with their partial text, as after any start. The rest
 * become unconfirmed.
 * @param whyNew the reason to begin an epoch, given the last place (null if none is stored); null
 *   if the place is the same
 * @returns undefined if the place is the same
 */
export function arriveAt(
  deps: Deps,
  place: string,
  whyNew: (last: string | null) => EpochReason | null,
): Promise<NewEpoch | undefined> {
  return deps.commit(async (unit) => {
    await lockInstance(unit.tx);
    const last = await getPlace(unit.tx);
    await setPlace(unit.tx, place);
    const why = whyNew(last);
    return why === null ? undefined : beginEpoch(unit, deps, why);
  });
}

async function beginEpoch(unit: Unit, deps: Deps, why: EpochReason): Promise<NewEpoch> {
  const webhooks = await replaceEpoch(unit.tx, deps.ids(), why, unit.at);
  const begun = { waiting: 0, unconfirmed: 0, followed: 0, webhooks };
  for (const active of await listActiveRuns(unit.tx)) begun[await leave(unit, deps, active, why)]++;
  for (const { id, waitingFor } of await listQueued(unit.tx))
    if (await changeWaiting(unit, id, { from: waitingFor, to: why })) begun.waiting++;
  return begun;
}

/** Shown on a run that was active in the restored or copied database. */
const whenLost: Record<EpochReason, string> = {
  restore: sentences.runs.activeAtBackup,
  copy: sentences.runs.activeAtCopy,
  overtaken: sentences.runs.activeAtTakeOver,
};

/** @returns what becomes of the run; "waiting" if it goes back to the queue */
async function leave(
  unit: Unit,
  deps: Deps,
  { run, kind, providerRequestId }: ActiveRun,
  why: EpochReason,
): Promise<RunFate> {
  const adapter = await deps.kinds.get(kind)?.load();
  if (providerRequestId !== null && adapter?.job) return "followed";
  const connection = await getConnection(unit.tx, run.connectionId);
  const isFree = connection !== undefined && isFreeAt(adapter, connection);
  // Text that was already streamed or may be charged ends as interrupted with its partial answer,
  // and isn't requested again.
  if (isFree ? run.firstOutputAt !== null : await isLostAnswer(unit.tx, run, adapter, connection))
    return "followed";
  const change = { runId: run.id, fence: run.fence, at: unit.at };
  // A new fence refuses the writes of the previous owner, which may not know about the epoch yet.
  const letGo = { worker_id: null, fence: run.fence + 1 };
  if (isFree) {
    const moved = await moveRun(unit, {
      ...change,
      step: { type: "restarted" },
      set: { ...letGo, progress: null, waiting_for: why },
      events: [{ type: "run-queued", payload: { waitingFor: why } }],
    });
    if (moved) {
      await updateAttempt(unit.tx, run.id, run.attempts, { state: "lost", ended_at: unit.at });
      return "waiting";
    }
  }
  const error = toRunError(new ProviderError("outcome_unknown", "unknown"), run.connectionId);
  const moved = await moveRun(unit, {
    ...change,
    step: { type: "lost" },
    set: {
      ...letGo,
      error: JSON.stringify({
        ...error,
        cause: whenLost[why],
      }),
    },
    events: [{ type: "run-settled", payload: { state: "unconfirmed", error, costMicros: null } }],
  });
  // A run in `storing` has its answer: its files are fetched and nothing is sent.
  if (!moved) return "followed";
  await updateAttempt(unit.tx, run.id, run.attempts, { state: "lost", ended_at: unit.at });
  return "unconfirmed";
}

/** Whether the run's answer is text that can't be fetched from its provider again. */
async function isLostAnswer(
  tx: Tx,
  run: ActiveRun["run"],
  adapter: Adapter | undefined,
  connection: SealedConnection | undefined,
): Promise<boolean> {
  if (!returnsNoFile(run.task)) return false;
  const model = await getModel(tx, run.connectionId, run.modelId);
  return !adapter || !connection || !model || !goesByJob({ adapter, connection, run, model });
}

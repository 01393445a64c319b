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
  getPlace,
  listQueued,
  listUnderWay,
  replaceEpoch,
  setPlace,
  type UnderWay,
} from "#store/runs/epoch.ts";
import { changeWaiting, moveRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { isFreeAt } from "../connections/run-place.ts";
import type { EngineDeps } from "../deps.ts";
import { goesByJob } from "../in-hand.ts";
import { toRunError } from "../settle/settle.ts";

type Deps = Pick<EngineDeps, "store" | "commit" | "kinds" | "clock" | "ids">;
/** What an epoch found when it began. `webhooks`: those that are paused since. */
export type NewEpoch = Record<Left, number> & { webhooks: number };
type Left = "waiting" | "unconfirmed" | "followed";

/**
 * Called at every start, before anything may be claimed or taken over. When the database is not where it
 * says that it was last served from (given null when it never said), it is a copy or was restored, and what the original has done since is not in it: nothing
 * is sent by itself. Queued runs wait for a person's word. Of what was under way, a job whose id is known is asked about
 * and files with an address are fetched, and words end as failed with what came, as after any start; the rest is unconfirmed. What is
 * free of charge waits too.
 * @param whyNew why an epoch begins; null where it is the same place
 * @returns undefined when it is the same place
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
  for (const underWay of await listUnderWay(unit.tx))
    begun[await leave(unit, deps, underWay, why)]++;
  for (const { id, waitingFor } of await listQueued(unit.tx))
    if (await changeWaiting(unit, id, { from: waitingFor, to: why })) begun.waiting++;
  return begun;
}

/** Of a run that was under way in the state that the database has. */
const whenLost: Record<EpochReason, string> = {
  restore: sentences.runs.activeAtBackup,
  copy: sentences.runs.activeAtCopy,
  overtaken: sentences.runs.activeAtTakeOver,
};

/** @returns what becomes of it; one that goes back to the queue is counted with those that wait there */
async function leave(
  unit: Unit,
  deps: Deps,
  { run, kind, providerRequestId }: UnderWay,
  why: EpochReason,
): Promise<Left> {
  const adapter = await deps.kinds.get(kind)?.load();
  if (providerRequestId !== null && adapter?.job) return "followed";
  const connection = await getConnection(unit.tx, run.connectionId);
  const isFree = connection !== undefined && isFreeAt(adapter, connection);
  // Words that were read, or may be charged: they end as interrupted with what there is, and are not asked for again.
  if (isFree ? run.firstOutputAt !== null : await isLostAnswer(unit.tx, run, adapter, connection))
    return "followed";
  const change = { runId: run.id, fence: run.fence, at: unit.at };
  // Under a new fence: the previous owner, which may not know yet, can't write anymore.
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
  // What is being stored has been answered: its files are fetched, and nothing is sent for it.
  if (!moved) return "followed";
  await updateAttempt(unit.tx, run.id, run.attempts, { state: "lost", ended_at: unit.at });
  return "unconfirmed";
}

/** Words that nobody can look up at their provider. */
async function isLostAnswer(
  tx: Tx,
  run: UnderWay["run"],
  adapter: Adapter | undefined,
  connection: SealedConnection | undefined,
): Promise<boolean> {
  if (!returnsNoFile(run.task)) return false;
  const model = await getModel(tx, run.connectionId, run.modelId);
  return !adapter || !connection || !model || !goesByJob({ adapter, connection, run, model });
}

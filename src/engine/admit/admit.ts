import type { Message, ModelDetail, ModelRef, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { isAmong } from "#domain/people/policy.ts";
import { insertRunInputs } from "#store/content/assets.ts";
import { findMessageByIdempotencyKey, type Idempotency } from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import { getModelsOfKey } from "#store/people/api-keys.ts";
import { findByIdempotencyKey } from "#store/runs/run-lists.ts";
import type { Unit } from "#store/runs/unit.ts";
import { hashOf } from "../connections/catalogue.ts";
import { type Asker, requireConnections, usableModel } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { refuseWhenFull } from "../room.ts";
import type { holdForRuns } from "../settle/hold-budget.ts";
import { insertRuns, newRun, type RunAsk } from "./insert-runs.ts";

/** Who asks which models, for which project. */
export type Ask = {
  asker: Asker;
  projectId: string;
  /** None for what is only written down. */
  models: readonly { ref: ModelRef; task?: Task }[];
  idempotency?: IdempotentRequest;
};

/** The same key with the same request is admitted once. `within`: a door with keys of its own making. */
export type IdempotentRequest = { key: string; request: unknown; within?: string };

/** The unit of an admission, and what a plan writes its runs with. */
export type Admission = Unit & {
  idempotency: Idempotency | undefined;
  /**
   * Reserves for these runs, all of them or none, and inserts them with their first events and the files that they read. The key
   * is the first one's: by it the others are found.
   * @throws Problem budget_exceeded, ceiling_needed
   */
  start(runs: readonly PlannedAsk[], hold?: typeof holdForRuns): Promise<Run[]>;
};

type PlannedAsk = RunAsk & { files?: readonly { assetId: string; role: string }[] };

/** What is asked, checked and priced. An estimate is this much of an admission. */
type Plan<T> = {
  /** The models that the runs go to first. */
  models: readonly Pick<ModelRef, "connectionId">[];
  /** Writes the runs and what belongs to them. */
  insert(admission: Admission): Promise<T>;
};

/** What one kind of request brings to its admission. */
export type Kind<T> = {
  /** What was admitted under the key before. @throws Problem idempotency_mismatch */
  find?(idempotency: Idempotency): Promise<T | undefined>;
  /** Checks and prices it, and writes nothing. */
  plan(models: ModelDetail[]): Promise<Plan<T>>;
};

/**
 * The one way in for everything that is asked: its key, the rights to its models, its plan, and one unit with its runs, their
 * reservations and their first events. When that commits they can't be lost, and every budget has allowed them.
 * @throws Problem idempotency_mismatch, storage_full, model_gone, forbidden, budget_exceeded, ceiling_needed, and what the plan throws
 */
export function admit<T>(deps: EngineDeps, ask: Ask, { find, plan }: Kind<T>): Promise<T> {
  const { asker, projectId } = ask;
  const idempotency = ask.idempotency && idempotencyOf(asker, projectId, ask.idempotency);
  return once(
    async () => idempotency && find?.(idempotency),
    async () => {
      if (ask.models.length > 0) await refuseWhenFull(deps);
      const usable = await Promise.all(
        ask.models.map(({ ref, task }) => usableModel(deps, asker, projectId, ref, task)),
      );
      const { models, insert } = await plan(usable);
      let started: Run[] = [];
      const admitted = await deps.commit(async (unit) => {
        await requireConnections(unit.tx, models);
        await requireKeyModels(unit.tx, ask);
        return insert({
          ...unit,
          idempotency,
          async start(asks, hold) {
            const runs = asks.map((one, i) =>
              newRun(deps, asker, { ...one, ...(i === 0 && { idempotency }) }, unit.at),
            );
            started = await insertRuns(unit, deps, runs, hold);
            for (const [i, { id }] of started.entries())
              await insertRunInputs(unit.tx, id, asks[i]!.files ?? []);
            return started;
          },
        });
      });
      if (started[0]) await deps.failpoints?.at("run.admitted", started[0]);
      return admitted;
    },
  );
}

/** A key's limit as it is when its runs are admitted. @throws Problem forbidden */
async function requireKeyModels(tx: Tx, { asker, models }: Ask): Promise<void> {
  const limited = asker.key && models.length > 0 ? await getModelsOfKey(tx, asker.key.id) : null;
  if (!models.every(({ ref }) => isAmong(limited, ref)))
    throw new Problem("forbidden", { message: sentences.keys.modelNotAllowed });
}

const idempotencyOf = (
  { userId }: Asker,
  projectId: string,
  { key, request, within }: IdempotentRequest,
): Idempotency => ({
  scope: [projectId, userId, ...(within ? [within] : [])].join(":"),
  key,
  requestHash: hashOf(request),
});

/** For a request that came with a key, or without one. */
export const underKey = (
  key: string | undefined,
  request: unknown,
): IdempotentRequest | undefined => (key ? { key, request } : undefined);

/** A run, a message, or one with the other. @throws Problem idempotency_mismatch when the key is another request's */
export async function findUnderKey(
  deps: EngineDeps,
  { scope, key, requestHash }: Idempotency,
): Promise<{ run: Run | undefined; message: Message | undefined }> {
  // The message first: its run was committed with it, so a reader finds both or neither.
  const said = sameRequest(
    await findMessageByIdempotencyKey(deps.store.read, scope, key),
    requestHash,
  );
  const run = sameRequest(await findByIdempotencyKey(deps.store.read, scope, key), requestHash);
  return { run, message: said?.message };
}

/** What was found under a key. @throws Problem idempotency_mismatch when it is another request's */
export function sameRequest<T extends { requestHash: string | null }>(
  found: T | undefined,
  requestHash: string,
): T | undefined {
  if (found && found.requestHash !== requestHash) throw new Problem("idempotency_mismatch");
  return found;
}

/** @returns what is there already, also to the loser of two that came together */
async function once<T>(find: () => Promise<T | undefined>, work: () => Promise<T>): Promise<T> {
  const before = await find();
  if (before) return before;
  try {
    return await work();
  } catch (error) {
    const winner = await find();
    if (winner) return winner;
    throw error;
  }
}

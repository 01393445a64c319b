import type { Message, ModelDetail, ModelRef, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { isAmong } from "#domain/people/policy.ts";
import { insertRunInputs } from "#store/content/assets.ts";
import {
  findMessage,
  findMessageByIdempotencyKey,
  type Idempotency,
} from "#store/content/conversations.ts";
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

/** The asker, the models and the project of an admission. */
export type Ask = {
  asker: Asker;
  projectId: string;
  /** Empty if the request starts no run. */
  models: readonly { ref: ModelRef; task?: Task }[];
  idempotency?: IdempotentRequest;
};

/**
 * A key that admits the same request once. `within` narrows its scope, for an API that generates
 * its own keys.
 */
export type IdempotentRequest = { key: string; request: unknown; within?: string };

/** The unit that commits an admission, with the function that inserts its runs. */
export type Admission = Unit & {
  idempotency: Idempotency | undefined;
  /**
   * Reserves money for these runs, all of them or none, and inserts them with their first events
   * and input files. Only the first run stores the idempotency key; the others are found through
   * it.
   * @throws Problem budget_exceeded, ceiling_needed
   */
  start(runs: readonly PlannedAsk[], hold?: typeof holdForRuns): Promise<Run[]>;
};

type PlannedAsk = RunAsk & { files?: readonly { assetId: string; role: string }[] };

/** A checked and priced request. An estimate stops here. */
type Plan<T> = {
  /** The first model of each run. */
  models: readonly Pick<ModelRef, "connectionId">[];
  /** Writes the runs and the rows that belong to them. */
  insert(admission: Admission): Promise<T>;
};

/** How one kind of request is found, planned and written. */
export type Kind<T> = {
  /**
   * The earlier admission under this key.
   * @throws Problem idempotency_mismatch
   */
  find?(idempotency: Idempotency): Promise<T | undefined>;
  /** Checks and prices the request without writing anything. */
  plan(models: ModelDetail[]): Promise<Plan<T>>;
};

/**
 * Admits every kind of request: looks up its idempotency key, checks the right to use its models,
 * plans it, and commits its runs with their reservations and first events in one unit. A committed
 * run survives a crash and is within every budget.
 * @throws Problem idempotency_mismatch, storage_full, model_gone, forbidden, budget_exceeded,
 *   ceiling_needed, and what the plan throws
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

/**
 * Checks the API key's allowed models again in the admitting unit.
 * @throws Problem forbidden
 */
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

export const underKey = (
  key: string | undefined,
  request: unknown,
): IdempotentRequest | undefined => (key ? { key, request } : undefined);

/**
 * Finds the run, the message, or both that a key admitted.
 * @throws Problem idempotency_mismatch if the key belongs to another request
 */
export async function findUnderKey(
  deps: EngineDeps,
  { scope, key, requestHash }: Idempotency,
): Promise<{ run: Run | undefined; message: Message | undefined }> {
  // Reads the message first. Its run is committed with it, so this finds both or neither.
  const stored = sameRequest(
    await findMessageByIdempotencyKey(deps.store.read, scope, key),
    requestHash,
  );
  const run = sameRequest(await findByIdempotencyKey(deps.store.read, scope, key), requestHash);
  return { run, message: stored?.message };
}

/**
 * Finds the message that a key admitted in a conversation: the person's own, or else the run's
 * answer.
 * @throws Problem idempotency_mismatch if the key belongs to another request; not_found if the
 *   message was deleted since, so that the asker sends the request under a new key
 */
export async function findMessageUnderKey(
  deps: EngineDeps,
  key: Idempotency,
): Promise<{ run: Run | undefined; message: Message } | undefined> {
  const { run, message: own } = await findUnderKey(deps, key);
  const id = own?.id ?? run?.messageId;
  if (!id) return undefined;
  const message = await findMessage(deps.store.read, id);
  if (!message) throw new Problem("not_found", { message: sentences.chat.deletedSince });
  return { run, message };
}

/**
 * Returns what was found if it comes from the same request.
 * @throws Problem idempotency_mismatch if the key belongs to another request
 */
export function sameRequest<T extends { requestHash: string | null }>(
  found: T | undefined,
  requestHash: string,
): T | undefined {
  if (found && found.requestHash !== requestHash) throw new Problem("idempotency_mismatch");
  return found;
}

/**
 * Runs `work` unless its result exists.
 * @returns the existing result, also for the request that loses a race
 */
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

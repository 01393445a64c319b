import type { ModelDetail, Run, RunExpansion } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { Idempotency } from "#store/content/conversations.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import { hasFreeSlot } from "#store/runs/claims.ts";
import type { AskedOfAlias } from "#store/runs/run-rows.ts";
import { insertRun, type NewRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { hashOf } from "../connections/catalogue.ts";
import { slotsOf } from "../connections/run-place.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { warnOfDropped } from "../plan/route-ask.ts";
import { holdForRuns } from "../settle/hold-budget.ts";

/** A run about to be admitted. An unbounded run has no known maximum cost and reserves nothing. */
export type PlannedRun = Omit<NewRun, "waitingFor"> & {
  isBounded: boolean;
  /** Holds the run until the asker approves it. */
  asksFirst?: boolean;
};

export type RunAsk = {
  /** Set if another row refers to the run before it is inserted. */
  id?: string;
  projectId: string;
  visibility: "author" | "project";
  model: ModelDetail;
  task: Task;
  input: JsonObject;
  /** The most that the run can cost, in micros; null if unknown. */
  mostMicros: number | null;
  batchId: string | null;
  messageId: string | null;
  retryOf?: string | null;
  remixOf?: string | null;
  expansion?: RunExpansion | null;
  idempotency?: Idempotency;
  /** Set if the run was requested under an alias. */
  routed?: { alias: AskedOfAlias | null; dropped: string[] };
  asksFirst?: boolean;
};

/** Builds the row of a run without writing it. */
export function newRun(deps: EngineDeps, asker: Asker, ask: RunAsk, at: number): PlannedRun {
  const inputHash = hashOf(ask.input);
  return {
    id: ask.id ?? deps.ids(),
    projectId: ask.projectId,
    userId: asker.userId,
    apiKeyId: asker.key?.id ?? null,
    visibility: ask.visibility,
    connectionId: ask.model.connectionId,
    modelId: ask.model.modelId,
    schemaHash: ask.model.schemaHash,
    task: ask.task,
    input: ask.input,
    inputHash,
    requestHash:
      ask.idempotency?.requestHash ??
      hashOf([ask.model.connectionId, ask.model.modelId, ask.task, inputHash]),
    idempotencyScope: ask.idempotency?.scope ?? null,
    idempotencyKey: ask.idempotency?.key ?? null,
    batchId: ask.batchId,
    messageId: ask.messageId,
    retryOf: ask.retryOf ?? null,
    remixOf: ask.remixOf ?? null,
    expansion: ask.expansion ?? null,
    priceSnapshot: ask.model.prices,
    heldMicros: ask.mostMicros ?? 0,
    isBounded: ask.mostMicros !== null,
    alias: ask.routed?.alias ?? null,
    warnings: warnOfDropped(ask.model.name, ask.routed?.dropped ?? []),
    asksFirst: ask.asksFirst ?? false,
    at,
  };
}

/**
 * Inserts runs of one person and project with their first events and reservations, in the caller's
 * unit. Once it commits, no run can be lost and every budget has allowed them all.
 * @throws Problem budget_exceeded, ceiling_needed
 */
export async function insertRuns(
  unit: Unit,
  deps: EngineDeps,
  runs: readonly PlannedRun[],
  hold: typeof holdForRuns = holdForRuns,
): Promise<Run[]> {
  const waitingFor = await hold(deps, unit.tx, runs);
  const admitted: Run[] = [];
  /**
   * Connections with a queued run of this unit: later runs on them queue as well, without looking
   * for a free slot.
   */
  const waitedFor = new Set<string>();
  for (const { isBounded: _, asksFirst, ...given } of runs) {
    const run = { ...given, waitingFor: asksFirst ? "asker" : waitingFor } as const;
    const owner = waitedFor.has(run.connectionId) ? undefined : await ownerOf(unit, deps, run);
    if (!owner && run.waitingFor === null) waitedFor.add(run.connectionId);
    admitted.push(await insertRun(unit, run, owner));
    const {
      id: runId,
      projectId,
      userId,
      apiKeyId,
      connectionId,
      modelId,
      heldMicros: micros,
      at,
    } = run;
    const entry = { runId, projectId, userId, apiKeyId, connectionId, modelId, admittedAt: at, at };
    if (micros > 0)
      await insertLedgerEntry(unit.tx, { ...entry, id: deps.ids(), kind: "hold", micros });
  }
  if (deps.failpoints) for (const run of admitted) await deps.failpoints.at("run.commit", run);
  return admitted;
}

/**
 * The worker of this process, if the connection has a free slot for the run, so that most runs need
 * no second unit for the claim. A live session belongs to the server that holds its socket.
 */
async function ownerOf(
  { tx }: Unit,
  { hub, kinds, ids }: EngineDeps,
  run: NewRun,
): Promise<{ workerId: string; clientToken: string } | undefined> {
  const claimer = hub.claimer();
  if (!claimer?.takesNew() || run.waitingFor !== null || run.task === "live") return undefined;
  const isFree = await hasFreeSlot(tx, run, (one) => slotsOf(kinds.get(one.kind), one));
  return isFree ? { workerId: claimer.workerId, clientToken: ids() } : undefined;
}

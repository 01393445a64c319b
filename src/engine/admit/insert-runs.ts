import type { ModelDetail, Run, RunExpansion } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { Idempotency } from "#store/content/conversations.ts";
import { insertLedgerEntry } from "#store/money/ledger.ts";
import { hasFreePlace } from "#store/runs/claims.ts";
import type { AskedOfAlias } from "#store/runs/run-rows.ts";
import { insertRun, type NewRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { hashOf } from "../connections/catalogue.ts";
import { placesOf } from "../connections/run-place.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { warnOfDropped } from "../plan/route-ask.ts";
import { holdForRuns } from "../settle/hold-budget.ts";

/** A run that is about to be admitted. Not bounded: nobody knows the most that it may cost, and nothing is held. */
export type PlannedRun = Omit<NewRun, "waitingFor"> & {
  isBounded: boolean;
  /** Nobody claims it before the person's own word. */
  asksFirst?: boolean;
};

export type RunAsk = {
  /** Where something names the run before it is there. */
  id?: string;
  projectId: string;
  visibility: "author" | "project";
  model: ModelDetail;
  task: Task;
  input: JsonObject;
  /** The most that it may cost; null when nobody knows. */
  mostMicros: number | null;
  batchId: string | null;
  messageId: string | null;
  retryOf?: string | null;
  remixOf?: string | null;
  expansion?: RunExpansion | null;
  idempotency?: Idempotency;
  /** Of a run that was asked for under an alias. */
  routed?: { alias: AskedOfAlias | null; dropped: string[] };
  asksFirst?: boolean;
};

/** The row of a run to be: nothing of it is durable before its unit commits. */
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
 * The runs of one person and project with their first events and holds, in the caller's unit: when that commits they can't be
 * lost, and every budget that they count in has allowed all of them.
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
  /** Where a run of this unit waits in the queue: those behind it wait as well, and look for no place. */
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

/** The worker of this process, for a run that finds a place there: most need no second unit that claims them. A live session has its socket's server. */
async function ownerOf(
  { tx }: Unit,
  { hub, kinds, ids }: EngineDeps,
  run: NewRun,
): Promise<{ workerId: string; clientToken: string } | undefined> {
  const claimer = hub.claimer();
  if (!claimer?.takesNew() || run.waitingFor !== null || run.task === "live") return undefined;
  const isFree = await hasFreePlace(tx, run, (one) => placesOf(kinds.get(one.kind), one));
  return isFree ? { workerId: claimer.workerId, clientToken: ids() } : undefined;
}

import type { Selectable } from "kysely";
import type { ArchiveRows } from "#contract/archive.ts";
import type {
  CostBasis,
  Model,
  ModelRef,
  Run,
  RunError,
  RunExpansion,
  RunState,
  RunWarning,
} from "#contract/entities.ts";
import type { RunEventPayloads } from "#contract/events.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { WaitingReason } from "#contract/waiting-reasons.ts";
import { isFree } from "#domain/money/free.ts";
import type { ArchiveColumns } from "../database/archive-columns.ts";
import { fromJson, fromJsonOrNull } from "../database/json.ts";
import type { RunRow } from "../database/schema.ts";

/**
 * The facts kept of a run that was imported, for display and for the next export. They never enter
 * the ledger.
 */
export type ImportedFacts = {
  costMicros: number | null;
  costBasis: CostBasis | null;
  person: string;
  modelName: string;
  kind: string | null;
  attempts: ArchiveRows["runs"]["attempts"];
  books: ArchiveRows["runs"]["books"];
};

export const runColumns = {
  id: "id",
  project_id: "stays",
  user_id: "person",
  visibility: "isPrivate",
  connection_id: "model",
  model_id: "model",
  task: "task",
  input: "input",
  state: "state",
  attempts: "attempts",
  message_id: "messageId",
  retry_of: "retryOf",
  remix_of: "remixOf",
  expansion: "expansion",
  price_snapshot: "prices",
  cost_micros: "costMicros",
  cost_basis: "costBasis",
  usage: "usage",
  result: "result",
  warnings: "warnings",
  error: "error",
  created_at: "createdAt",
  started_at: "startedAt",
  finished_at: "finishedAt",
  // The facts of an imported run are exported in the fields they came in.
  imported: "stays",
  // Only the engine needs these, and only ended runs are exported.
  api_key_id: "stays",
  schema_hash: "stays",
  input_hash: "stays",
  progress: "stays",
  queue_place: "stays",
  priority: "stays",
  not_before: "stays",
  cancel_requested_at: "stays",
  idempotency_scope: "stays",
  idempotency_key: "stays",
  request_hash: "stays",
  batch_id: "stays",
  prompt_version_id: "stays",
  waiting_for: "stays",
  held_micros: "stays",
  placeless: "stays",
  worker_id: "stays",
  fence: "stays",
  seq: "stays",
  probes: "stays",
  first_output_at: "stays",
  pruned_at: "stays",
  alias: "stays",
  next_models: "stays",
  asked: "stays",
} as const satisfies ArchiveColumns<RunRow, ArchiveRows["runs"]>;

/**
 * A model behind an alias that was skipped or did not accept the run, and the reason as a sentence.
 */
export type PassedOver = RunEventPayloads["model-passed-over"] &
  ModelRef & {
    name: string;
    /** The service's own words, which may name the model. */
    said?: string;
    /** The last attempt sent to this model, and the prices it was sent at; absent when none was. */
    attempt?: number;
    prices?: Model["prices"];
  };

/**
 * A fallback model, tried once the previous models definitely did not accept: with its own input
 * and reservation, at the prices of the admission.
 */
export type NextModel = ModelRef & {
  name: string;
  schemaHash: string | null;
  /**
   * The fields of the request that this model's form has: of the input, or for an answer of its
   * settings.
   */
  given: JsonObject;
  /** The fields of the request that this model's form lacks. */
  dropped: string[];
  prices: Model["prices"];
  /** The highest possible cost, in micro-dollars; null when unknown. */
  mostMicros: number | null;
};

export type AskedOfAlias = {
  name: string;
  /** The whole input, or an answer's settings, including fields that the running model lacks. */
  asked: JsonObject;
  passedOver: PassedOver[];
  next: NextModel[];
};

/** A run as the engine works on it: the contract's entity plus internal fields. */
export type OwnedRun = Run & {
  apiKeyId: string | null;
  fence: number;
  attempts: number;
  /** Attempts that only probed a failing service. They don't count against the run. */
  probes: number;
  requestHash: string;
  /** The scope of the caller's idempotency key; null for a run that can't be found by one. */
  idempotencyScope: string | null;
  /** The key that repeated requests match; null once an equal request counts as a new one. */
  idempotencyKey: string | null;
  notBefore: number | null;
  workerId: string | null;
  /** The prices at admission, regardless of the model's prices now. */
  prices: Model["prices"];
  /** Behind an alias: the fallback models, as planned at admission. */
  nextModels: NextModel[];
  /** The request to the alias, as in `AskedOfAlias.asked`; null without an alias. */
  asked: JsonObject | null;
};

/**
 * A run that a worker has claimed, with its attempt's token. `isProbe`: it alone is sent, to test a
 * service that has failed.
 */
export type ClaimedRun = OwnedRun & { clientToken: string; isProbe: boolean };

export function toRun(row: Selectable<RunRow>): Run {
  return {
    id: row.id,
    projectId: row.project_id,
    userId: row.user_id,
    visibility: row.visibility,
    connectionId: row.connection_id,
    modelId: row.model_id,
    alias: row.alias,
    task: row.task as Task,
    state: row.state as RunState,
    input: fromJson(row.input),
    progress: fromJsonOrNull(row.progress),
    queuePlace: row.queue_place,
    cancelRequestedAt: row.cancel_requested_at,
    batchId: row.batch_id,
    messageId: row.message_id,
    retryOf: row.retry_of,
    remixOf: row.remix_of,
    expansion: fromJsonOrNull<RunExpansion>(row.expansion),
    heldMicros: row.held_micros,
    costMicros: row.cost_micros,
    costBasis: row.cost_basis,
    waitingFor: row.waiting_for as WaitingReason | null,
    usage: fromJsonOrNull(row.usage),
    result: fromJsonOrNull(row.result),
    warnings: fromJson<RunWarning[]>(row.warnings),
    error: fromJsonOrNull<RunError>(row.error),
    createdAt: row.created_at,
    startedAt: row.started_at,
    firstOutputAt: row.first_output_at,
    finishedAt: row.finished_at,
    lastSeq: row.seq,
    ...(isOfFreePrice(row) && { isFree: true as const }),
    ...(row.imported && { imported: shownOf(fromJson<ImportedFacts>(row.imported)) }),
  };
}

/** Whether the run is free by its prices; false when a cost or a reservation is known. */
export const isOfFreePrice = (
  row: Pick<Selectable<RunRow>, "cost_micros" | "held_micros" | "price_snapshot">,
): boolean =>
  row.cost_micros === null &&
  row.held_micros === 0 &&
  row.price_snapshot !== null &&
  isFree(fromJson<Model["prices"]>(row.price_snapshot));

export const shownOf = ({
  costMicros,
  costBasis,
  person,
  modelName,
}: ImportedFacts): Run["imported"] => ({
  costMicros,
  costBasis,
  person,
  modelName,
});

export function toOwnedRun(row: Selectable<RunRow>): OwnedRun {
  return {
    ...toRun(row),
    apiKeyId: row.api_key_id,
    fence: row.fence,
    attempts: row.attempts,
    probes: row.probes,
    requestHash: row.request_hash,
    idempotencyScope: row.idempotency_scope,
    idempotencyKey: row.idempotency_key,
    notBefore: row.not_before,
    workerId: row.worker_id,
    prices: fromJsonOrNull<Model["prices"]>(row.price_snapshot) ?? [],
    nextModels: fromJsonOrNull<NextModel[]>(row.next_models) ?? [],
    asked: fromJsonOrNull<JsonObject>(row.asked),
  };
}

const asItIs = (value: unknown): unknown => value;
/**
 * The columns that an owner's steps write or that others may change meanwhile, each with its field
 * and its parser.
 */
const ownColumns = {
  state: ["state", asItIs],
  seq: ["lastSeq", asItIs],
  visibility: ["visibility", asItIs],
  cancel_requested_at: ["cancelRequestedAt", asItIs],
  idempotency_scope: ["idempotencyScope", asItIs],
  idempotency_key: ["idempotencyKey", asItIs],
  worker_id: ["workerId", asItIs],
  first_output_at: ["firstOutputAt", asItIs],
  finished_at: ["finishedAt", asItIs],
  queue_place: ["queuePlace", asItIs],
  held_micros: ["heldMicros", asItIs],
  cost_micros: ["costMicros", asItIs],
  cost_basis: ["costBasis", asItIs],
  progress: ["progress", fromJsonOrNull],
  usage: ["usage", fromJsonOrNull],
  result: ["result", fromJsonOrNull],
  error: ["error", fromJsonOrNull],
  warnings: ["warnings", fromJson],
} as const satisfies Partial<
  Record<keyof RunRow, readonly [keyof OwnedRun, (value: never) => unknown]>
>;
export type OwnColumns = Pick<RunRow, keyof typeof ownColumns>;

/** Returns the run with these columns updated, without reading its row again. */
export function withColumns({ isFree: _, ...run }: OwnedRun, now: Partial<OwnColumns>): OwnedRun {
  const fields = Object.entries(now).flatMap(([column, value]) => {
    const [field, read] = ownColumns[column as keyof OwnColumns];
    return value === undefined ? [] : [[field, read(value as never)]];
  });
  const moved: OwnedRun = { ...run, ...Object.fromEntries(fields) };
  const isFreeOfCost = moved.costMicros === null && moved.heldMicros === 0 && isFree(moved.prices);
  return { ...moved, ...(isFreeOfCost && { isFree: true as const }) };
}

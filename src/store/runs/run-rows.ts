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
import { isFree } from "#domain/money/prices.ts";
import type { ArchiveColumns } from "../database/archive-columns.ts";
import { fromJson, fromJsonOrNull } from "../database/json.ts";
import type { RunRow } from "../database/schema.ts";

/** What is remembered of a run that was made elsewhere, for who looks at it and for the next export. It enters no books. */
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
  // The facts of an imported run leave in the fields that they came in.
  imported: "stays",
  // The road needs these; only ended runs are exported.
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

/** A model behind an alias that was not asked, or did not accept, and why in a sentence. */
export type PassedOver = RunEventPayloads["model-passed-over"] &
  ModelRef & {
    name: string /** The service's own words, which may name the model. */;
    said?: string;
    /** The last attempt that was sent to it, and the prices that it was sent under; without one where none was. */
    attempt?: number;
    prices?: Model["prices"];
  };

/** A model that is tried when the previous ones definitely did not accept: with its own input and hold, at the prices of the admission. */
export type NextModel = ModelRef & {
  name: string;
  schemaHash: string | null;
  /** The input, or of an answer the settings: what its form has of what was asked. */
  given: JsonObject;
  /** What was asked and its form does not have. */
  dropped: string[];
  prices: Model["prices"];
  /** The most that it may cost, in micro-dollars; null when nobody knows. */
  mostMicros: number | null;
};

export type AskedOfAlias = {
  name: string;
  /** All of the input, or an answer's settings, including fields that the running model lacks. */
  asked: JsonObject;
  passedOver: PassedOver[];
  next: NextModel[];
};

/** A run as the engine works on it: the contract's entity with what only the road needs. */
export type OwnedRun = Run & {
  apiKeyId: string | null;
  fence: number;
  attempts: number;
  /** Those of them that only tried a failing service for everybody: they don't count against the run. */
  probes: number;
  requestHash: string;
  /** Where the caller's word for the request counts; null for a run that is found by none. */
  idempotencyScope: string | null;
  /** Its match key; null once an equal request is a new one. */
  idempotencyKey: string | null;
  notBefore: number | null;
  workerId: string | null;
  /** The prices at admission, regardless of the model's prices now. */
  prices: Model["prices"];
  /** Behind an alias: what is tried next, as it was planned when the run was admitted. */
  nextModels: NextModel[];
  /** What was asked of the alias, as `AskedOfAlias` has it; null without one. */
  asked: JsonObject | null;
};

/** A run in its new owner's hands, with the token of its attempt. `isProbe`: it tries a service that has failed, alone. */
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

/** Said only where nothing else tells what it costs. */
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
/** What an owner's steps write, and what others may change meanwhile: each column with its field, and how that is read. */
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

/** The run with these columns as they are now: its row need not be read for them. */
export function withColumns({ isFree: _, ...run }: OwnedRun, now: Partial<OwnColumns>): OwnedRun {
  const fields = Object.entries(now).flatMap(([column, value]) => {
    const [field, read] = ownColumns[column as keyof OwnColumns];
    return value === undefined ? [] : [[field, read(value as never)]];
  });
  const moved: OwnedRun = { ...run, ...Object.fromEntries(fields) };
  const isFreeOfCost = moved.costMicros === null && moved.heldMicros === 0 && isFree(moved.prices);
  return { ...moved, ...(isFreeOfCost && { isFree: true as const }) };
}

import { cleanText, type Model, type ModelDetail } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";
import { foldWords, searchText } from "#domain/search-words.ts";
import { fromCursor, page } from "./cursor.ts";
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from "./json.ts";
import { prepared } from "./prepared.ts";
import type { ModelRow } from "./schema.ts";
import type { Reader, Tx } from "./store.ts";

type NamedRow = ModelRow & {
  connection_name: string;
  connection_kind: string;
  own_prices: string | null;
  ceiling_micros: number | null;
};
const toModel = (row: NamedRow): Model => ({
  connectionId: row.connection_id,
  modelId: row.model_id,
  name: row.name,
  description: row.description,
  connectionName: row.connection_name,
  connectionKind: row.connection_kind,
  tasks: fromJson(row.tasks),
  inputModalities: fromJson(row.input_modalities),
  outputModalities: fromJson(row.output_modalities),
  capabilities: fromJson(row.capabilities),
  limits: fromJson(row.limits),
  ...pricesOf(row.price ?? row.own_prices),
  ceilingMicros: row.ceiling_micros,
  status: row.status,
  fetchedAt: row.fetched_at,
});
function pricesOf(text: string | null): Pick<Model, "price" | "prices"> {
  const prices = fromJsonOrNull<Model["prices"]>(text) ?? [];
  return { price: prices.length === 1 ? prices[0]! : null, prices };
}
const toDetail = (row: NamedRow): ModelDetail => ({
  ...toModel(row),
  inputSchema: fromJsonOrNull(row.input_schema),
  schemaHash: row.schema_hash,
});

export type NewModel = {
  connectionId: string;
  modelId: string;
  name: string;
  description: string;
  tasks: readonly string[];
  inputModalities: readonly string[];
  outputModalities: readonly string[];
  inputSchema: unknown;
  schemaHash: string | null;
  capabilities: unknown;
  limits: unknown;
  prices: unknown[];
  status: "active" | "deprecated";
  fetchedAt: number;
};

/** What a refresh brought: new and changed models, in the provider's words without what no database keeps. Those that were not among them are marked by `markGone`. */
export async function upsertModels(tx: Tx, models: readonly NewModel[]): Promise<void> {
  for (const model of models) {
    const row: ModelRow = {
      connection_id: model.connectionId,
      model_id: cleanText(model.modelId),
      name: cleanText(model.name),
      description: cleanText(model.description),
      tasks: toJson(model.tasks),
      input_modalities: toJson(model.inputModalities),
      output_modalities: toJson(model.outputModalities),
      input_schema: toJsonOrNull(model.inputSchema),
      schema_hash: model.schemaHash,
      capabilities: toJson(model.capabilities),
      limits: toJson(model.limits),
      price: model.prices.length > 0 ? toJson(model.prices) : null,
      status: model.status,
      search: searchText(model.name, model.modelId, model.description),
      fetched_at: model.fetchedAt,
    };
    const { connection_id: _, model_id: __, ...set } = row;
    await tx
      .insertInto("model")
      .values(row)
      .onConflict((conflict) => conflict.columns(["connection_id", "model_id"]).doUpdateSet(set))
      .execute();
  }
}

/** Models that the last complete refresh did not bring: kept for the recipes that name them, not offered any more. */
export async function markGone(tx: Tx, connectionId: string, fetchedBefore: number): Promise<void> {
  await tx
    .updateTable("model")
    .set({ status: "gone" })
    .where("connection_id", "=", connectionId)
    .where("fetched_at", "<", fetchedBefore)
    .execute();
}

/** A model that was taken away by hand. */
export async function markModelGone(tx: Tx, connectionId: string, modelId: string): Promise<void> {
  await tx.updateTable("model").set({ status: "gone" }).where("connection_id", "=", connectionId).where("model_id", "=", modelId).execute();
}

const named = (db: Reader) =>
  db
    .selectFrom("model")
    .innerJoin("connection", "connection.id", "model.connection_id")
    .leftJoin("model_override", (join) =>
      join.onRef("model_override.connection_id", "=", "model.connection_id").onRef("model_override.model_id", "=", "model.model_id"),
    )
    .selectAll("model")
    .select(["connection.name as connection_name", "connection.kind as connection_kind"])
    .select(["model_override.prices as own_prices", "model_override.ceiling_micros"]);

export type ModelFilter = { connectionIds: readonly string[]; task?: Task; search?: string; cursor?: string; limit: number };

export async function listModels(db: Reader, filter: ModelFilter): Promise<{ models: Model[]; next: string | null }> {
  if (filter.connectionIds.length === 0) return { models: [], next: null };
  let query = named(db).where("model.connection_id", "in", filter.connectionIds).where("model.status", "!=", "gone");
  if (filter.task) query = query.where("model.tasks", "like", `%"${filter.task}"%`);
  for (const word of foldWords(filter.search ?? "")) query = query.where("model.search", "like", `%${word}%`);
  if (filter.cursor) {
    const [name, connectionId, modelId] = fromCursor(filter.cursor, ["string", "string", "string"]) as [string, string, string];
    query = query.where((e) =>
      e(e.refTuple("model.name", "model.connection_id", "model.model_id"), ">", e.tuple(name, connectionId, modelId)),
    );
  }
  const rows = await query
    .orderBy("model.name")
    .orderBy("model.connection_id")
    .orderBy("model.model_id")
    .limit(filter.limit + 1)
    .execute();
  const shown = page(rows, filter.limit, (row) => [row.name, row.connection_id, row.model_id]);
  return { models: shown.rows.map(toModel), next: shown.next };
}

const findRow = prepared((db, { connectionId, modelId }: { connectionId: string; modelId: string }) =>
  named(db).where("model.connection_id", "=", connectionId).where("model.model_id", "=", modelId),
);

export async function getModel(db: Reader, connectionId: string, modelId: string): Promise<ModelDetail | undefined> {
  const [row] = await findRow(db, { connectionId, modelId });
  return row && toDetail(row);
}

export type ModelPrice = {
  connectionId: string;
  modelId: string;
  /** Left out, what was set before stays. */
  ceilingMicros?: number | null;
  prices?: Model["prices"] | null;
  setBy: string;
  at: number;
};

/** What a person says of a model's price. @returns false when there is no such model */
export async function putModelPrice(tx: Tx, { connectionId, modelId, ceilingMicros, prices, setBy, at }: ModelPrice): Promise<boolean> {
  if (!(await getModel(tx, connectionId, modelId))) return false;
  const set = {
    set_by: setBy,
    set_at: at,
    ...(ceilingMicros !== undefined && { ceiling_micros: ceilingMicros }),
    ...(prices !== undefined && { prices: toJsonOrNull(prices) }),
  };
  await tx
    .insertInto("model_override")
    .values({ connection_id: connectionId, model_id: modelId, prices: null, ceiling_micros: null, ...set })
    .onConflict((conflict) => conflict.columns(["connection_id", "model_id"]).doUpdateSet(set))
    .execute();
  return true;
}

export async function countModels(db: Reader, connectionIds: readonly string[]): Promise<Map<string, number>> {
  if (connectionIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("model")
    .select((e) => ["connection_id", e.fn.countAll<number>().as("n")])
    .where("connection_id", "in", connectionIds)
    .where("status", "!=", "gone")
    .groupBy("connection_id")
    .execute();
  return new Map(rows.map((row) => [row.connection_id, Number(row.n)]));
}

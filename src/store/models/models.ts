import { sql } from "kysely";
import {
  cleanText,
  type Model,
  type ModelDetail,
  type ModelRef,
  type OwnFacts,
} from "#contract/entities.ts";
import { isToolPrice } from "#contract/filters/provider-tools.ts";
import { priceKindOf } from "#domain/models/model-facts.ts";
import { isByToken } from "#domain/money/prices.ts";
import { usualNanos } from "#domain/money/usual-price.ts";
import { searchText } from "#domain/text/search-words.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { ModelRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { type SealedConnection, type SealedRow, sealedColumns, toSealed } from "./connections.ts";
import { isReached, type ModelReach, raiseModelsVersion } from "./model-access.ts";
import { factsByName, filterColumns, ownFactsOf, toOwnFacts, withOwnFacts } from "./own-facts.ts";

export type NamedRow = ModelRow & {
  connection_name: string;
  connection_kind: string;
  own_prices: string | null;
  ceiling_micros: number | null;
  starred_at: number | null;
  own_facts: string | null;
  facts_by_name: string | null;
  facts_at: number | null;
};
export const toModel = (row: NamedRow): Model =>
  withOwnFacts(toStated(row), toOwnFacts(row)?.facts ?? null);
const toStated = (row: NamedRow): Model => ({
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
  ...pricesOf(row),
  ceilingMicros: row.ceiling_micros,
  status: row.status,
  fetchedAt: row.fetched_at,
  factsSource: fromJsonOrNull(row.facts_source),
  ownFacts: toOwnFacts(row),
  firstSeenAt: row.first_seen_at,
  cameAt: row.came_at,
  isStarred: row.starred_at !== null,
});
/**
 * Returns the service's prices, or else a person's. Next to prices per token, the service's own
 * tools cost extra; next to any other price, tools aren't counted. A tool's price alone doesn't
 * price an answer.
 */
function pricesOf({
  price,
  own_prices,
}: Pick<NamedRow, "price" | "own_prices">): Pick<Model, "price" | "prices"> {
  const stated = fromJsonOrNull<Model["prices"]>(price) ?? [];
  const isWhole = stated.some((one) => !isToolPrice(one));
  const own = isWhole ? [] : (fromJsonOrNull<Model["prices"]>(own_prices) ?? []);
  const isBesideTools = stated.length > 0 && own.some(isByToken);
  const further = isBesideTools
    ? stated.filter(({ unit }) => !own.some((one) => one.unit === unit))
    : [];
  const prices = isWhole ? stated : further.length > 0 ? [...own, ...further] : own;
  return { price: prices.length === 1 ? prices[0]! : null, prices };
}
const toDetail = (row: NamedRow): ModelDetail => ({
  ...toModel(row),
  inputSchema: fromJsonOrNull(row.input_schema),
  schemaHash: row.schema_hash,
});

const noFacts = { facts: null, facts_by: null, facts_at: null };

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
  prices: Model["prices"];
  /**
   * The price of each use of the service's own tools, which also applies next to a person's prices.
   */
  toolPrices?: Model["prices"];
  status: "active" | "deprecated";
  factsSource?: Model["factsSource"];
  /** The provider's release date. */
  releasedAt?: number | null;
  /** The number of concurrent runs that its server reports, saved with the connection. */
  runsAtOnce?: number;
  fetchedAt: number;
};

/**
 * Writes the new and changed models of a refresh, with the provider's text cleaned of characters
 * that no database stores. `markGone` marks the models that the refresh no longer lists.
 */
export async function upsertModels(tx: Tx, models: readonly NewModel[]): Promise<void> {
  const own = new Map<string, Map<string, OwnFacts>>();
  const connectionIds = models.map(({ connectionId }) => connectionId);
  await raiseModelsVersion(tx, connectionIds);
  const listed = await listedBefore(tx, connectionIds);
  for (const model of models) {
    const ofConnection = own.get(model.connectionId) ?? (await ownFactsOf(tx, model.connectionId));
    own.set(model.connectionId, ofConnection);
    // A release date in the future is ignored until then.
    const releasedAt =
      model.releasedAt && model.releasedAt <= model.fetchedAt ? model.releasedAt : null;
    const facts = model as NewModel & Parameters<typeof filterColumns>[0];
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
      price: toPriceColumn([...model.prices, ...(model.toolPrices ?? [])]),
      status: model.status,
      search: searchText(model.name, model.modelId, model.description),
      fetched_at: model.fetchedAt,
      ...filterColumns(withOwnFacts(facts, ofConnection.get(cleanText(model.modelId)) ?? null)),
      price_kind: priceKindOf(model.prices),
      first_seen_at: model.fetchedAt,
      came_at: releasedAt ?? (listed.has(model.connectionId) ? model.fetchedAt : null),
      usual_nanos: usualNanos(model.prices),
      facts_source: toJsonOrNull(model.factsSource ?? null),
    };
    const { connection_id: _, model_id: __, first_seen_at: ___, came_at: ____, ...kept } = row;
    const set = {
      ...kept,
      fetched_at: newest(model.fetchedAt),
      ...(releasedAt !== null && { came_at: releasedAt }),
    };
    await tx
      .insertInto("model")
      .values(row)
      .onConflict((conflict) => conflict.columns(["connection_id", "model_id"]).doUpdateSet(set))
      .execute();
  }
}

const toPriceColumn = (prices: Model["prices"]): string | null =>
  prices.length > 0 ? toJson(prices) : null;

/**
 * Keeps the later time: of two concurrent refreshes, the one that started later marks models with
 * an earlier time as gone.
 */
const newest = (fetchedAt: number) =>
  sql<number>`case when model.fetched_at > ${fetchedAt} then model.fetched_at else ${fetchedAt} end`;

/**
 * Returns which connections have had their list read completely before, so that models joining it
 * now are new.
 */
async function listedBefore(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .selectFrom("connection")
    .select("id")
    .where("id", "in", [...new Set(ids)])
    .where("listed_at", "is not", null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Marks models that a refresh listed unchanged as still listed. */
export async function markListed(
  tx: Tx,
  connectionId: string,
  modelIds: readonly string[],
  fetchedAt: number,
): Promise<void> {
  if (modelIds.length === 0) return;
  await raiseModelsVersion(tx, [connectionId]);
  await tx
    .updateTable("model")
    .set({ fetched_at: newest(fetchedAt) })
    .where("connection_id", "=", connectionId)
    .where("model_id", "in", modelIds)
    .execute();
}

/**
 * Marks models missing from the last complete refresh. They are kept for the recipes that refer to
 * them, but no longer offered.
 */
export async function markGone(tx: Tx, connectionId: string, fetchedBefore: number): Promise<void> {
  await raiseModelsVersion(tx, [connectionId]);
  await tx
    .updateTable("model")
    .set({ status: "gone" })
    .where("connection_id", "=", connectionId)
    .where("fetched_at", "<", fetchedBefore)
    .execute();
}

/** Marks a model that a person removed. */
export async function markModelGone(tx: Tx, connectionId: string, modelId: string): Promise<void> {
  await raiseModelsVersion(tx, [connectionId]);
  await tx
    .updateTable("model")
    .set({ status: "gone" })
    .where("connection_id", "=", connectionId)
    .where("model_id", "=", modelId)
    .execute();
}

/** Returns each model's name from its provider; undefined for one that was never listed. */
export async function listModelNames(
  db: Reader,
  refs: readonly ModelRef[],
): Promise<(string | undefined)[]> {
  const rows = await db
    .selectFrom("model")
    .select(["connection_id", "model_id", "name"])
    .where(isOneOf(db, "connection_id", toJson([...new Set(refs.map((ref) => ref.connectionId))])))
    .where(isOneOf(db, "model_id", toJson([...new Set(refs.map((ref) => ref.modelId))])))
    .execute();
  const names = new Map(rows.map((row) => [`${row.connection_id} ${row.model_id}`, row.name]));
  return refs.map(({ connectionId, modelId }) => names.get(`${connectionId} ${modelId}`));
}

/** Returns a connection's models whose ID matches a pattern of LIKE, without those that are gone. */
export async function listModelsNamed(
  db: Reader,
  connectionId: string,
  pattern: string,
): Promise<ModelDetail[]> {
  const rows = await named(db, "")
    .where("model.connection_id", "=", connectionId)
    .where("model.status", "!=", "gone")
    .where("model.model_id", "like", pattern)
    .orderBy("model.model_id")
    .execute();
  return rows.map(toDetail);
}

/**
 * Models with the details of their connection, its managers' overrides and the stars of `userId`.
 */
export const named = (db: Reader, userId: string) =>
  db
    .selectFrom("model")
    .innerJoin("connection", "connection.id", "model.connection_id")
    .leftJoin("model_override", (join) =>
      join
        .onRef("model_override.connection_id", "=", "model.connection_id")
        .onRef("model_override.model_id", "=", "model.model_id"),
    )
    .leftJoin("model_star", (join) =>
      join
        .onRef("model_star.connection_id", "=", "model.connection_id")
        .onRef("model_star.model_id", "=", "model.model_id")
        .on("model_star.user_id", "=", userId),
    )
    .selectAll("model")
    .select(["connection.name as connection_name", "connection.kind as connection_kind"])
    .select([
      "model_override.prices as own_prices",
      "model_override.ceiling_micros",
      "model_star.created_at as starred_at",
    ])
    .select([
      "model_override.facts as own_facts",
      "model_override.facts_at",
      factsByName.as("facts_by_name"),
    ]);

const findRow = prepared(
  (
    db,
    { connectionId, modelId, userId }: { connectionId: string; modelId: string; userId: string },
  ) =>
    named(db, userId)
      .where("model.connection_id", "=", connectionId)
      .where("model.model_id", "=", modelId),
);

/** @param userId the person whose star is looked up; without it, nobody's */
export async function getModel(
  db: Reader,
  connectionId: string,
  modelId: string,
  userId = "",
): Promise<ModelDetail | undefined> {
  const [row] = await findRow(db, { connectionId, modelId, userId });
  return row && toDetail(row);
}

const findRowWithConnection = prepared(
  (db, { connectionId, modelId }: { connectionId: string; modelId: string }) =>
    named(db, "")
      .select(sealedColumns.map((column) => `connection.${column} as of_${column}` as const))
      .where("model.connection_id", "=", connectionId)
      .where("model.model_id", "=", modelId),
);

/** Returns a model with the connection that serves it, in one statement. */
export async function getModelWithConnection(
  db: Reader,
  { connectionId, modelId }: ModelRef,
): Promise<{ model: ModelDetail; connection: SealedConnection } | undefined> {
  const [row] = await findRowWithConnection(db, { connectionId, modelId });
  if (!row) return undefined;
  const columns = sealedColumns.map((column) => [column, row[`of_${column}`]]);
  return {
    model: toDetail(row),
    connection: toSealed(Object.fromEntries(columns) as SealedRow),
  };
}

/**
 * Sets or removes a personal star.
 * @returns false when the model doesn't exist
 */
export async function starModel(
  tx: Tx,
  star: { userId: string; connectionId: string; modelId: string; at: number | null },
): Promise<boolean> {
  const { userId, connectionId, modelId, at } = star;
  if (!(await getModel(tx, connectionId, modelId))) return false;
  const key = { user_id: userId, connection_id: connectionId, model_id: modelId };
  if (at === null)
    await tx
      .deleteFrom("model_star")
      .where("user_id", "=", userId)
      .where("connection_id", "=", connectionId)
      .where("model_id", "=", modelId)
      .execute();
  else
    await tx
      .insertInto("model_star")
      .values({ ...key, created_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return true;
}

export type ModelPrice = {
  connectionId: string;
  modelId: string;
  /** Undefined values leave the previous setting. */
  ceilingMicros?: number | null;
  prices?: Model["prices"] | null;
  setBy: string;
  at: number;
};

/**
 * Sets a person's price for a model.
 * @returns false when the model doesn't exist
 */
export async function putModelPrice(
  tx: Tx,
  { connectionId, modelId, ceilingMicros, prices, setBy, at }: ModelPrice,
): Promise<boolean> {
  if (!(await getModel(tx, connectionId, modelId))) return false;
  const set = {
    set_by: setBy,
    set_at: at,
    ...(ceilingMicros !== undefined && { ceiling_micros: ceilingMicros }),
    ...(prices !== undefined && {
      prices: toJsonOrNull(prices),
      price_kind: prices && priceKindOf(prices),
      usual_nanos: prices && usualNanos(prices),
    }),
  };
  await tx
    .insertInto("model_override")
    .values({
      connection_id: connectionId,
      model_id: modelId,
      prices: null,
      price_kind: null,
      ceiling_micros: null,
      usual_nanos: null,
      ...noFacts,
      ...set,
    })
    .onConflict((conflict) => conflict.columns(["connection_id", "model_id"]).doUpdateSet(set))
    .execute();
  return true;
}

/** Counts the models that each connection offers within `reach`. */
export async function countModels(
  db: Reader,
  connectionIds: readonly string[],
  reach?: ModelReach,
): Promise<Map<string, number>> {
  const ids =
    reach && !reach.ruled ? connectionIds.filter((id) => reach.open.includes(id)) : connectionIds;
  if (ids.length === 0) return new Map();
  let query = db
    .selectFrom("model")
    .select((e) => ["connection_id", e.fn.countAll<number>().as("n")])
    .where("connection_id", "in", ids)
    .where("status", "!=", "gone");
  if (reach?.ruled) query = query.where(isReached(reach));
  const rows = await query.groupBy("connection_id").execute();
  return new Map(rows.map((row) => [row.connection_id, Number(row.n)]));
}

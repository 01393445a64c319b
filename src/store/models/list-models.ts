import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { Model, ModelRef } from "#contract/entities.ts";
import { type ModelFamily, modelFamilyNames } from "#contract/filters/model-families.ts";
import type { ModelCapability, ModelOrder, PriceKind } from "#contract/filters/model-filters.ts";
import { type Modality, type Task, taskNames } from "#contract/tasks.ts";
import { factWord } from "#domain/models/model-facts.ts";
import { foldWords } from "#domain/text/search-words.ts";
import { fromCursor, page } from "../database/cursor.ts";
import type { Database } from "../database/schema.ts";
import type { Reader, Searchable } from "../database/store.ts";
import { isReached, type ModelReach } from "./model-access.ts";
import { named, toModel } from "./models.ts";

export type ModelFilter = {
  connectionIds: readonly string[];
  /** Connections whose models are all free, regardless of their list. */
  freeConnectionIds?: readonly string[];
  /** Aliases that currently lead to a free model. */
  freeAliases?: readonly string[];
  /** Restricts the list to the models open to the person; without it, all models. */
  reach?: ModelReach;
  /** The person whose stars are shown. */
  userId: string;
  task?: Task;
  takes?: Modality;
  gives?: Modality;
  family?: ModelFamily;
  can?: readonly ModelCapability[];
  /** The smallest context window, in tokens. */
  context?: number;
  price?: PriceKind;
  /** Added at this time or later. */
  cameSince?: number;
  starred?: boolean;
  /** Whether its provider shows sample results. */
  sampled?: boolean;
  search?: string;
  order?: ModelOrder;
};

/**
 * The sort key before the name. Ascending in every order, so that a cursor is one tuple comparison.
 */
const leads: Record<ModelOrder, RawBuilder<number>> = {
  name: sql<number>`0`,
  price: sql<number>`coalesce(model.usual_nanos, (select own.usual_nanos from model_override as own where own.connection_id = model.connection_id and own.model_id = model.model_id), 9000000000000001)`,
  newest: sql<number>`-coalesce(model.came_at, 0)`,
  context: sql<number>`-coalesce(model.context_tokens, 0)`,
};

const nameAndKey = sql`model.name, model.connection_id, model.model_id`;

/**
 * Returns a page of the catalog. One index selects the models; only then are their rows read, whose
 * schemas are long.
 */
export async function listModels(
  store: Searchable,
  filter: ModelFilter & { cursor?: string; limit: number },
): Promise<{ models: Model[]; next: string | null }> {
  const connectionIds = reachedConnections(filter);
  if (connectionIds.length === 0) return { models: [], next: null };
  const places = await findPlaces(store, { ...filter, connectionIds });
  const shown = page(places, filter.limit, (row) => [
    Number(row.lead),
    row.name,
    row.connection_id,
    row.model_id,
  ]);
  return { models: await readModels(store.read, filter.userId, shown.rows), next: shown.next };
}

/** Without rules for single models, each connection is open or closed as a whole. */
export const reachedConnections = ({ reach, connectionIds }: ModelFilter): readonly string[] =>
  reach && !reach.ruled ? connectionIds.filter((id) => reach.open.includes(id)) : connectionIds;

/** Returns those of the models that pass the filter, in the given order. */
export async function pickModels(
  store: Searchable,
  filter: ModelFilter,
  refs: readonly ModelRef[],
): Promise<Model[]> {
  const connectionIds = reachedConnections(filter);
  if (connectionIds.length === 0 || refs.length === 0) return [];
  const rows = await (await filtered(store, { ...filter, connectionIds }))
    .select(["model.connection_id", "model.model_id"])
    .where(isOneOfModels(refs))
    .execute();
  const models = await readModels(store.read, filter.userId, rows);
  return refs.flatMap((ref) => models.find((model) => isSameModel(model, ref)) ?? []);
}

/**
 * Returns the sort keys of those of the models that pass the filter, lowest first, as the catalog
 * has them.
 */
export async function readLeads(
  store: Searchable,
  filter: ModelFilter & { order: ModelOrder },
  refs: readonly ModelRef[],
): Promise<(ModelRef & { lead: number })[]> {
  const connectionIds = reachedConnections(filter);
  if (connectionIds.length === 0 || refs.length === 0) return [];
  const rows = await (await filtered(store, { ...filter, connectionIds }))
    .select(["model.connection_id", "model.model_id", leadOf(filter).as("lead")])
    .where(isOneOfModels(refs))
    .execute();
  return rows.map((row) => ({
    connectionId: row.connection_id,
    modelId: row.model_id,
    lead: Number(row.lead),
  }));
}

const isOneOfModels = (refs: readonly ModelRef[]) => (e: ExpressionBuilder<Database, "model">) =>
  e(
    e.refTuple("model.connection_id", "model.model_id"),
    "in",
    refs.map((ref) => e.tuple(ref.connectionId, ref.modelId)),
  );

const leadOf = (filter: ModelFilter): RawBuilder<number> => {
  const { order = "name" } = filter;
  return order === "price" ? whereFree(filter, 0, leads.price) : leads[order];
};

const isSameModel = (a: ModelRef, b: ModelRef): boolean =>
  a.connectionId === b.connectionId && a.modelId === b.modelId;

export type ModelCounts = {
  tasks: { task: Task; models: number }[];
  families: { family: ModelFamily; models: number }[];
};

/**
 * Counts models by task, in task order, and by family, largest first, without empty entries. Each
 * count applies the other one's filter.
 */
export async function countModelTasks(
  store: Searchable,
  { task, family, ...filter }: ModelFilter,
): Promise<ModelCounts> {
  const connectionIds = reachedConnections(filter);
  if (connectionIds.length === 0) return { tasks: [], families: [] };
  const rows = await (await filtered(store, { ...filter, connectionIds }))
    .select(({ fn }) => ["model.facts", fn.countAll<number>().as("models")])
    .groupBy("model.facts")
    .execute();
  const has = (facts: string, word: string | undefined): boolean =>
    word === undefined || facts.includes(` ${word} `);
  const sum = (...words: (string | undefined)[]): number =>
    rows.reduce(
      (all, { facts, models }) =>
        words.every((word) => has(facts, word)) ? all + Number(models) : all,
      0,
    );
  const [ofTask, ofFamily] = [task && factWord.task(task), family && factWord.family(family)];
  return {
    tasks: taskNames
      .map((name) => ({ task: name, models: sum(factWord.task(name), ofFamily) }))
      .filter(({ models }) => models > 0),
    families: modelFamilyNames
      .map((name) => ({ family: name, models: sum(factWord.family(name), ofTask) }))
      .filter(({ models }) => models > 0)
      .sort((one, other) => other.models - one.models),
  };
}

async function findPlaces(
  store: Searchable,
  filter: ModelFilter & { cursor?: string; limit: number },
) {
  const { order = "name" } = filter;
  const lead = leadOf(filter);
  let query = (await filtered(store, filter)).select([
    "model.name",
    "model.connection_id",
    "model.model_id",
    lead.as("lead"),
  ]);
  if (filter.cursor) {
    const [from, name, connectionId, modelId] = fromCursor(filter.cursor, [
      "number",
      "string",
      "string",
      "string",
    ]);
    const place = sql`${name}, ${connectionId}, ${modelId}`;
    query = query.where(
      order === "name"
        ? sql<boolean>`(${nameAndKey}) > (${place})`
        : sql<boolean>`(${lead}, ${nameAndKey}) > (${from}, ${place})`,
    );
  }
  // An index already has the order by name.
  if (order !== "name") query = query.orderBy("lead");
  return query
    .orderBy("model.name")
    .orderBy("model.connection_id")
    .orderBy("model.model_id")
    .limit(filter.limit + 1)
    .execute();
}

async function filtered(store: Searchable, filter: ModelFilter) {
  const {
    connectionIds,
    task,
    takes,
    gives,
    family,
    can = [],
    context,
    price,
    cameSince,
    starred,
    sampled,
  } = filter;
  let query = store.read
    .selectFrom("model")
    .where("model.connection_id", "in", connectionIds)
    .where("model.status", "in", ["active", "deprecated"]);
  if (filter.reach?.ruled) query = query.where(isReached(filter.reach));
  const facts = [
    task && factWord.task(task),
    takes && factWord.takes(takes),
    gives && factWord.gives(gives),
    family && factWord.family(family),
    sampled && factWord.hasSample,
    ...can.map(factWord.can),
  ];
  for (const fact of facts) if (fact) query = query.where("model.facts", "like", `% ${fact} %`);
  if (context !== undefined) query = query.where("model.context_tokens", ">=", context);
  if (cameSince !== undefined) query = query.where("model.came_at", ">=", cameSince);
  if (price) query = query.where(whereFree<PriceKind>(filter, "free", priceKind), "=", price);
  if (starred)
    query = query.where((e) =>
      e.exists(
        e
          .selectFrom("model_star")
          .select("model_star.created_at")
          .where("model_star.user_id", "=", filter.userId)
          .whereRef("model_star.connection_id", "=", "model.connection_id")
          .whereRef("model_star.model_id", "=", "model.model_id"),
      ),
    );
  for (const condition of await searchConditions(store, filter)) query = query.where(condition);
  return query;
}

const whereFree = <Value extends string | number>(
  { freeConnectionIds: ids = [], freeAliases: names = [] }: ModelFilter,
  free: Value,
  other: RawBuilder<Value>,
): RawBuilder<Value> => {
  const cases = [
    ...(ids.length > 0 ? [sql`when model.connection_id in (${sql.join(ids)})`] : []),
    ...(names.length > 0
      ? [
          sql`when model.connection_id = ${aliasConnectionId} and model.model_id in (${sql.join(names)})`,
        ]
      : []),
  ].map((when) => sql`${when} then ${sql.lit(free)}`);
  return cases.length === 0 ? other : sql<Value>`case ${sql.join(cases, sql` `)} else ${other} end`;
};

/** The provider's price kind, or else a person's. */
const priceKind = sql<PriceKind>`case when model.price_kind <> 'unknown' then model.price_kind else coalesce((select own.price_kind from model_override as own where own.connection_id = model.connection_id and own.model_id = model.model_id), 'unknown') end`;

/** A search word matches the start of a word of the model or of its connection's name. */
async function searchConditions(
  store: Searchable,
  { search, connectionIds }: ModelFilter,
): Promise<RawBuilder<boolean>[]> {
  const words = foldWords(search ?? "");
  if (words.length === 0) return [];
  const connections = await store.read
    .selectFrom("connection")
    .select(["id", "name"])
    .where("id", "in", connectionIds)
    .execute();
  const calledSo = (word: string) =>
    connections
      .filter(({ name }) => foldWords(name).some((own) => own.startsWith(word)))
      .map(({ id }) => id);
  const ofModels = words.filter((word) => calledSo(word).length === 0);
  const ofEither = words.filter((word) => calledSo(word).length > 0);
  return [
    ...(ofModels.length > 0 ? [store.search("model", ofModels)] : []),
    ...ofEither.map(
      (word) =>
        sql<boolean>`(model.connection_id in (${sql.join(calledSo(word))}) or ${store.search("model", [word])})`,
    ),
  ];
}

async function readModels(
  db: Reader,
  userId: string,
  places: readonly { connection_id: string; model_id: string }[],
): Promise<Model[]> {
  if (places.length === 0) return [];
  const rows = await named(db, userId)
    .where((e) =>
      e(
        e.refTuple("model.connection_id", "model.model_id"),
        "in",
        places.map((place) => e.tuple(place.connection_id, place.model_id)),
      ),
    )
    .execute();
  const keyOf = (place: { connection_id: string; model_id: string }): string =>
    `${place.connection_id}/${place.model_id}`;
  const byKey = new Map(rows.map((row) => [keyOf(row), toModel(row)]));
  return places.flatMap((place) => byKey.get(keyOf(place)) ?? []);
}

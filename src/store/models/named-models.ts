import { aliasConnectionId } from "#contract/aliases.ts";
import type { Model, ModelRef } from "#contract/entities.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, toJson } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { Reader, Searchable } from "../database/store.ts";
import { type Asking, findReach, isReached, type ModelReach } from "./model-access.ts";

export type NamedModel = {
  name: string;
  /** The service's own name for it. */
  title: string;
  connectionId: string;
  connectionName: string;
  modelId: string;
  tasks: string[];
  fetchedAt: number;
};

/** An alias goes by its name alone; any other model is prefixed with its connection. */
const nameOf = (slug: string | undefined, connectionId: string, modelId: string): string =>
  connectionId === aliasConnectionId ? modelId : `${slug}/${modelId}`;

const pathOf = (connectionId: string, modelId: string): string => `${connectionId}/${modelId}`;

/** Converts a model to the form that OpenAI's clients read. */
export const toOpenAiModel = (model: Omit<NamedModel, "title">) => ({
  id: model.name,
  object: "model" as const,
  created: Math.floor(model.fetchedAt / 1000),
  owned_by: model.connectionName,
  tasks: model.tasks,
  connection_id: model.connectionId,
  model_id: model.modelId,
});

/**
 * Selects the usable models, including everything that the result depends on: equal JSON gives
 * equal results, so it serves as a cache key.
 */
export type NamedFrom = {
  connections: { id: string; slug: string; name: string; version: number }[];
  /** Set when single models have access rules. */
  ruled: Pick<ModelReach, "open" | "subjects"> | null;
  /** The models of a restricted API key. */
  only: readonly ModelRef[] | null;
};

export async function findNamedFrom(db: Reader, asking: Asking): Promise<NamedFrom> {
  const { connections, reach } = await findReach(db, asking);
  const usable = connections.filter(
    ({ id, status }) => status !== "disabled" && (reach.ruled || reach.open.includes(id)),
  );
  const versions = new Map(
    (await versionsOf(db, { ids: toJson(usable.map(({ id }) => id)) })).map((row) => [
      row.id,
      row.models_version,
    ]),
  );
  return {
    connections: usable.map(({ id, slug, name }) => ({
      id,
      slug,
      name,
      version: versions.get(id) ?? 0,
    })),
    ruled: reach.ruled ? { open: reach.open, subjects: reach.subjects } : null,
    only: asking.only ?? null,
  };
}

const versionsOf = prepared((db, { ids }: { ids: string }) =>
  db
    .selectFrom("connection")
    .select(["id", "models_version"])
    .where(isOneOf(db, "id", ids)),
);

/** Lists every usable model in catalog order, by its name here: `connection/model`. */
async function listNamed(
  db: Reader,
  { connections, ruled, only }: NamedFrom,
): Promise<NamedModel[]> {
  if (connections.length === 0) return [];
  const usable = new Map(connections.map((one) => [one.id, one]));
  let query = db
    .selectFrom("model")
    .select(["connection_id", "model_id", "name", "tasks", "fetched_at"])
    .where("connection_id", "in", [...usable.keys()])
    .where("status", "in", ["active", "deprecated"]);
  if (ruled) query = query.where(isReached(ruled));
  const rows = await query.orderBy("name").orderBy("connection_id").orderBy("model_id").execute();
  const mayUse = only && new Set(only.map((ref) => pathOf(ref.connectionId, ref.modelId)));
  const shown = mayUse
    ? rows.filter((row) => mayUse.has(pathOf(row.connection_id, row.model_id)))
    : rows;
  return shown.map((row) => {
    const connection = usable.get(row.connection_id);
    return {
      name: nameOf(connection?.slug, row.connection_id, row.model_id),
      title: row.name,
      connectionId: row.connection_id,
      connectionName: connection?.name ?? "",
      modelId: row.model_id,
      tasks: fromJson(row.tasks),
      fetchedAt: row.fetched_at,
    };
  });
}

/** Writes the response of `GET /v1/models`. Clients know no pages, and 10,000 models are 1.7 MB. */
export async function writeOpenAiModels(
  { read }: Pick<Searchable, "read">,
  from: NamedFrom,
): Promise<Uint8Array<ArrayBuffer>> {
  const models = await listNamed(read, from);
  return new TextEncoder().encode(
    JSON.stringify({ object: "list", data: models.map(toOpenAiModel) }),
  );
}

/** A page of a list: so many models after or before the one with a name. */
export type ModelPage = { limit: number; after?: string | undefined; before?: string | undefined };

/** A model with its numbers of tokens. */
export type LimitedModel = NamedModel & Pick<Model, "limits">;

/** Only a page's limits are read, because all of them would double the time of a long list. */
async function withLimits(db: Reader, models: readonly NamedModel[]): Promise<LimitedModel[]> {
  if (models.length === 0) return [];
  const rows = await db
    .selectFrom("model")
    .select(["connection_id", "model_id", "limits"])
    .where("connection_id", "in", [...new Set(models.map((model) => model.connectionId))])
    .where(isOneOf(db, "model_id", toJson(models.map((model) => model.modelId))))
    .execute();
  const limits = new Map(
    rows.map((row) => [
      pathOf(row.connection_id, row.model_id),
      fromJson<Model["limits"]>(row.limits),
    ]),
  );
  return models.map((model) => ({
    ...model,
    limits: limits.get(pathOf(model.connectionId, model.modelId)) ?? {},
  }));
}

/**
 * Lists a page of the usable chat models in catalog order.
 * @returns undefined if the model that the page starts from isn't in the list
 */
export async function listChatModels(
  { read }: Pick<Searchable, "read">,
  asking: Asking,
  { limit, after, before }: ModelPage,
): Promise<{ models: LimitedModel[]; hasMore: boolean } | undefined> {
  const all = (await listNamed(read, await findNamedFrom(read, asking))).filter(({ tasks }) =>
    tasks.includes("chat"),
  );
  const mark = after ?? before;
  const place = mark === undefined ? -1 : all.findIndex(({ name }) => name === mark);
  if (mark !== undefined && place < 0) return undefined;
  if (after === undefined && before !== undefined) {
    const from = Math.max(0, place - limit);
    return { models: await withLimits(read, all.slice(from, place)), hasMore: from > 0 };
  }
  const to = place + 1 + limit;
  return { models: await withLimits(read, all.slice(place + 1, to)), hasMore: to < all.length };
}

/** The lowest share of common letter pairs, from 0 to 1, at which a name is suggested. */
const minShare = 0.2;

/** Finds the model names closest to an unknown one, closest first. */
export async function findNearModels(
  { read }: Pick<Searchable, "read">,
  asking: Asking,
  name: string,
  most: number,
): Promise<string[]> {
  const wanted = pairsOf(name);
  return (await listNamed(read, await findNamedFrom(read, asking)))
    .map((model) => ({ name: model.name, share: sharedPairs(wanted, pairsOf(model.name)) }))
    .filter(({ share }) => share > minShare)
    .sort((a, b) => b.share - a.share)
    .slice(0, most)
    .map((one) => one.name);
}

const pairsOf = (text: string): Set<string> => {
  const plain = text.toLowerCase();
  return new Set(
    Array.from({ length: Math.max(0, plain.length - 1) }, (_, i) => plain.slice(i, i + 2)),
  );
};
/** Dice's coefficient of two sets of letter pairs: 0 for nothing in common, 1 for equal sets. */
function sharedPairs(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((pair) => b.has(pair)).length;
  return a.size + b.size === 0 ? 0 : (2 * both) / (a.size + b.size);
}

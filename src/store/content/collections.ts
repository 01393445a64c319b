import { sql } from "kysely";
import type { Collection } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { keysBetween } from "#domain/text/order-key.ts";
import { hasEveryWord } from "#domain/text/search-words.ts";
import { isOneOf, isSqlite } from "../database/is-one-of.ts";
import { fromJson, toJson } from "../database/json.ts";
import type { CollectionRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import type { Unit } from "../runs/unit.ts";

/** A collection as stored. Its count and cover depend on the reader. */
export type StoredCollection = Omit<Collection, "count" | "cover"> & {
  projectId: string;
  coverAssetId: string | null;
};
type SavedQuery = { version: 1; filter: NonNullable<Collection["query"]> };

const toCollection = (row: CollectionRow): StoredCollection => ({
  id: row.id,
  projectId: row.project_id,
  kind: row.kind,
  name: row.name,
  query: row.query === null ? null : fromJson<SavedQuery>(row.query).filter,
  coverAssetId: row.cover_asset_id,
  trashedAt: row.trashed_at,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
const toQuery = (filter: SavedQuery["filter"]): string =>
  toJson({ version: 1, filter } satisfies SavedQuery);

/** Lists all collections of a project, either trashed or not; there are at most a thousand. */
export async function listCollections(
  db: Reader,
  projectId: string,
  { trash }: { trash: boolean },
): Promise<StoredCollection[]> {
  const rows = await db
    .selectFrom("collection")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("trashed_at", trash ? "is not" : "is", null)
    .execute();
  return rows.map(toCollection);
}

/**
 * Lists a project's collections and saved searches whose names contain all these words, by name.
 */
export async function searchCollections(
  db: Reader,
  { projectId, q, limit }: { projectId: string; q: string; limit: number },
): Promise<StoredCollection[]> {
  const rows = await listCollections(db, projectId, { trash: false });
  return rows
    .filter(({ name }) => hasEveryWord(name, q))
    .sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}

export async function getCollection(db: Reader, id: string): Promise<StoredCollection | undefined> {
  const row = await db.selectFrom("collection").selectAll().where("id", "=", id).executeTakeFirst();
  return row && toCollection(row);
}

/** Lists a collection's assets in order, regardless of who may see them. */
export async function listItems(
  db: Reader,
  collectionId: string,
): Promise<{ assetId: string; orderKey: string }[]> {
  const rows = await db
    .selectFrom("collection_item")
    .select(["asset_id", "order_key"])
    .where("collection_id", "=", collectionId)
    .execute();
  // Sorted here, because a database may sort text by a language's collation.
  return rows
    .map((row) => ({ assetId: row.asset_id, orderKey: row.order_key }))
    .sort((a, b) => compare(a.orderKey, b.orderKey) || compare(a.assetId, b.assetId));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const notifyCollections = ({ outbox, at }: Unit, projectId: string): void => {
  outbox.changes.push({ projectId, userId: null, kind: "collection", id: projectId, at });
};

/** @throws Problem invalid_input when the project has the maximum number of collections */
export async function insertCollection(
  unit: Unit,
  wanted: Pick<StoredCollection, "id" | "projectId" | "kind" | "name" | "query" | "createdBy">,
): Promise<StoredCollection> {
  const { tx, at } = unit;
  const { n } = await tx
    .selectFrom("collection")
    .select((e) => e.fn.countAll<number>().as("n"))
    .where("project_id", "=", wanted.projectId)
    .executeTakeFirstOrThrow();
  const most = limits.collectionsPerProject;
  if (Number(n) >= most)
    throw new Problem("invalid_input", { message: sentences.collections.tooMany({ most }) });
  const row: CollectionRow = {
    id: wanted.id,
    project_id: wanted.projectId,
    kind: wanted.kind,
    name: wanted.name,
    query: wanted.query && toQuery(wanted.query),
    cover_asset_id: null,
    created_by: wanted.createdBy,
    trashed_at: null,
    created_at: at,
    updated_at: at,
  };
  await tx.insertInto("collection").values(row).execute();
  notifyCollections(unit, wanted.projectId);
  return toCollection(row);
}

export async function updateCollection(
  unit: Unit,
  id: string,
  change: Partial<Pick<StoredCollection, "name" | "coverAssetId" | "query" | "trashedAt">>,
): Promise<StoredCollection> {
  const { name, coverAssetId, query, trashedAt } = change;
  const row = await unit.tx
    .updateTable("collection")
    .set({
      updated_at: unit.at,
      ...(name !== undefined && { name }),
      ...(coverAssetId !== undefined && { cover_asset_id: coverAssetId }),
      ...(query && { query: toQuery(query) }),
      ...(trashedAt !== undefined && { trashed_at: trashedAt }),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new Problem("not_found", { message: sentences.collections.gone });
  notifyCollections(unit, row.project_id);
  return toCollection(row);
}

/**
 * Locks a manual collection that isn't in the trash: nobody else changes its items before the unit
 * ends.
 * @throws Problem not_found, invalid_input
 */
export async function lockCollection(
  tx: Tx,
  id: string,
  projectId?: string,
): Promise<CollectionRow> {
  const row = await tx
    .selectFrom("collection")
    .selectAll()
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row || row.trashed_at !== null || (projectId !== undefined && row.project_id !== projectId))
    throw new Problem("not_found", { message: sentences.collections.gone });
  if (row.kind === "smart")
    throw new Problem("invalid_input", { message: sentences.collections.isSmart });
  return row;
}

/**
 * Moves those of the assets that the person may see behind another one, or to the start, in the
 * given order.
 * @throws Problem
 */
export async function moveItems(
  unit: Unit,
  { collectionId, userId }: { collectionId: string; userId: string },
  ids: readonly string[],
  after: string | null,
): Promise<number> {
  const { tx, at } = unit;
  const { project_id: projectId } = await lockCollection(tx, collectionId);
  const items = await listItems(tx, collectionId);
  const there = new Set(items.map(({ assetId }) => assetId));
  const seen = await tx
    .selectFrom("asset")
    .select(["id", "visibility", "created_by"])
    .where(isOneOf(tx, "id", toJson(ids)))
    .where("deleted_at", "is", null)
    .where((e) => e.or([e("visibility", "=", "project"), e("created_by", "=", userId)]))
    .execute();
  const byId = new Map(seen.map((row) => [row.id, row]));
  const moving = [...new Set(ids)].filter((id) => there.has(id) && byId.has(id));
  if (moving.length === 0 || (after !== null && !there.has(after)))
    throw new Problem("not_found", { message: sentences.collections.notInIt });
  const isMoving = new Set(moving);
  const rest = items.filter(({ assetId }) => !isMoving.has(assetId));
  // If `after` is one of the moved assets, they go behind the asset before it.
  const anchor = items.findIndex(({ assetId }) => assetId === after);
  const before = new Set(items.slice(0, anchor + 1).map(({ assetId }) => assetId));
  const place = rest.filter(({ assetId }) => before.has(assetId)).length;
  const keys = keysBetween(rest[place - 1]?.orderKey ?? "", rest[place]?.orderKey, moving.length);
  const placed = moving.map((assetId, i) => ({ assetId, orderKey: keys[i]! }));
  const isLong = keys.some(({ length }) => length > limits.orderKeyCharacters);
  const written = isLong
    ? renumber([...rest.slice(0, place), ...placed, ...rest.slice(place)])
    : placed;
  await setOrderKeys(tx, collectionId, written);
  await tx
    .updateTable("collection")
    .set({ updated_at: at })
    .where("id", "=", collectionId)
    .execute();
  notifyCollections(unit, projectId);
  // Servers with the collection's order in memory reload it for the moved assets.
  const rows = moving.map((id) => byId.get(id)!);
  for (const [reader, some] of Map.groupBy(rows, (row) =>
    row.visibility === "author" ? row.created_by : null,
  ))
    unit.outbox.changes.push({
      projectId,
      userId: reader,
      kind: "assets",
      id: projectId,
      assetIds: some.map(({ id }) => id),
      at,
    });
  return moving.length;
}

/** A single statement: ten thousand would block all other writes for seconds. */
async function setOrderKeys(
  tx: Tx,
  collectionId: string,
  items: readonly { assetId: string; orderKey: string }[],
): Promise<void> {
  const json = toJson(Object.fromEntries(items.map((item) => [item.assetId, item.orderKey])));
  const keys = isSqlite(tx)
    ? sql`(select key as asset_id, value as order_key from json_each(${json}))`
    : sql`(select key as asset_id, value as order_key from jsonb_each_text(cast(${json} as jsonb)))`;
  await sql`update collection_item set order_key = placed.order_key from ${keys} as placed
    where collection_item.collection_id = ${collectionId} and collection_item.asset_id = placed.asset_id`.execute(
    tx,
  );
}

const renumber = (items: readonly { assetId: string }[]) => {
  const keys = keysBetween("", undefined, items.length);
  return items.map(({ assetId }, i) => ({ assetId, orderKey: keys[i]! }));
};

/** Items per unit, because other units wait behind it. */
const itemsAtOnce = 500;

/**
 * Removes a batch of items, and with the last one deletes the collection.
 * @param before for the chore: a collection trashed later, or restored since the chore looked, is
 *   left alone
 * @returns whether nothing is left to do
 * @throws Problem conflict for a collection that isn't in the trash
 */
export async function dissolveCollection(
  unit: Unit,
  id: string,
  before?: number,
): Promise<boolean> {
  const { tx } = unit;
  const row = await tx
    .selectFrom("collection")
    .select(["project_id", "trashed_at"])
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) return true;
  if (before !== undefined && (row.trashed_at === null || row.trashed_at >= before)) return true;
  if (row.trashed_at === null)
    throw new Problem("conflict", { message: sentences.collections.notInTrash });
  const { numDeletedRows } = await tx
    .deleteFrom("collection_item")
    .where("collection_id", "=", id)
    .where(
      "asset_id",
      "in",
      tx
        .selectFrom("collection_item")
        .select("asset_id")
        .where("collection_id", "=", id)
        .limit(itemsAtOnce),
    )
    .executeTakeFirst();
  if (Number(numDeletedRows) === itemsAtOnce) return false;
  await tx.deleteFrom("collection").where("id", "=", id).execute();
  notifyCollections(unit, row.project_id);
  return true;
}

export async function listCollectionsTrashedBefore(
  db: Reader,
  before: number,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("collection")
    .select("id")
    .where("trashed_at", "<", before)
    .orderBy("trashed_at")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

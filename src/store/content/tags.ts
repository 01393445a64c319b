import type { Tag } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Ids } from "#domain/runs/ids.ts";
import { foldTag } from "#domain/text/fold-tag.ts";
import { searchText } from "#domain/text/search-words.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import type { TagRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import type { Unit } from "../runs/unit.ts";

export type TagName = Pick<Tag, "id" | "name">;
const toName = ({ id, name }: TagName): TagName => ({ id, name });

/** Lists all tags of a project, a few thousand at most. */
export async function listTags(
  db: Reader,
  projectId: string,
): Promise<Pick<TagRow, "id" | "name" | "folded" | "search" | "created_by">[]> {
  return db
    .selectFrom("tag")
    .select(["id", "name", "folded", "search", "created_by"])
    .where("project_id", "=", projectId)
    .orderBy("folded")
    .execute();
}

/** Returns those of the tags that are in the project. */
export async function getTags(
  db: Reader,
  projectId: string,
  ids: readonly string[],
): Promise<TagName[]> {
  const rows = await db
    .selectFrom("tag")
    .select(["id", "name", "project_id"])
    .where(isOneOf(db, "id", toJson(ids)))
    .execute();
  return rows.filter((row) => row.project_id === projectId).map(toName);
}

export async function listTagsOf(db: Reader, assetId: string): Promise<TagName[]> {
  return db
    .selectFrom("asset_tag")
    .innerJoin("tag", "tag.id", "asset_tag.tag_id")
    .select(["tag.id", "tag.name"])
    .where("asset_tag.asset_id", "=", assetId)
    .orderBy("tag.folded")
    .execute();
}

/** Finds, for each folded word, the tags with a word that starts with it. */
export async function findTagsByWords(
  db: Reader,
  projectId: string,
  words: readonly string[],
): Promise<Record<string, string[]>> {
  if (words.length === 0) return {};
  const tags = (await listTags(db, projectId)).map(({ id, search }) => ({
    id,
    words: search.split(" "),
  }));
  return Object.fromEntries(
    words.flatMap((word) => {
      const having = tags.filter((tag) => tag.words.some((one) => one.startsWith(word)));
      return having.length > 0 ? [[word, having.map(({ id }) => id)]] : [];
    }),
  );
}

type Owner = { projectId: string; userId: string };

/**
 * Returns the tags with these names, in order, creating missing ones.
 * @throws Problem invalid_input when the project would have too many
 */
export async function ensureTags(
  unit: Unit,
  ids: Ids,
  of: Owner,
  names: readonly string[],
): Promise<TagName[]> {
  const { tx } = unit;
  const { projectId } = of;
  const known = await findTags(tx, projectId, names);
  if (names.some((name) => !known.has(foldTag(name)))) {
    const most = limits.tagsPerProject;
    if ((await countTags(tx, projectId)) + names.length > most)
      throw new Problem("invalid_input", {
        field: "tags",
        message: sentences.tags.tooMany({ most }),
      });
    notifyTags(unit, projectId);
  }
  const tags = await putTags(tx, ids, { ...of, at: unit.at }, names);
  return [...tags.values()];
}

export async function countTags(db: Reader, projectId: string): Promise<number> {
  const { n } = await db
    .selectFrom("tag")
    .select((e) => e.fn.countAll<number>().as("n"))
    .where("project_id", "=", projectId)
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Returns the ids of those tags that exist. None of them can be deleted before the unit ends. */
export async function lockTags(tx: Tx, tags: readonly Pick<Tag, "id">[]): Promise<string[]> {
  const rows = await tx
    .selectFrom("tag")
    .select("id")
    .where(isOneOf(tx, "id", toJson(tags.map(({ id }) => id))))
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

/** Finds a project's tags with these names, by folded name (`foldTag`). */
export async function findTags(
  db: Reader,
  projectId: string,
  names: readonly string[],
): Promise<Map<string, TagName>> {
  const rows = await db
    .selectFrom("tag")
    .select(["id", "name", "folded"])
    .where("project_id", "=", projectId)
    .where(isOneOf(db, "folded", toJson(names.map(foldTag))))
    .execute();
  return new Map(rows.map((row) => [row.folded, toName(row)]));
}

/** Rows per statement: SQLite accepts 32,766 values. */
const rowsAtOnce = 1_000;

/** Returns the tags with these names by folded name (`foldTag`), creating missing ones. */
export async function putTags(
  tx: Tx,
  ids: Ids,
  { projectId, userId, at }: Owner & { at: number },
  names: readonly string[],
): Promise<Map<string, TagName>> {
  const known = await findTags(tx, projectId, names);
  const wanted = new Map(names.map((name) => [foldTag(name), name]));
  const rows = [...wanted]
    .filter(([folded]) => !known.has(folded))
    .map(
      ([folded, name]): TagRow => ({
        id: ids(),
        project_id: projectId,
        name,
        folded,
        search: searchText(name),
        created_by: userId,
        created_at: at,
      }),
    );
  if (rows.length === 0) return known;
  // Two people may add the same tag at once, which must create only one.
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await tx
      .insertInto("tag")
      .values(rows.slice(from, from + rowsAtOnce))
      .onConflict((conflict) => conflict.columns(["project_id", "folded"]).doNothing())
      .execute();
  return findTags(tx, projectId, names);
}

/** Finds another tag of the project that already has the name. */
export async function findNamesake(
  db: Reader,
  { projectId, id, name }: { projectId: string; id: string; name: string },
): Promise<{ id: string; createdBy: string } | undefined> {
  const row = await db
    .selectFrom("tag")
    .select(["id", "created_by"])
    .where("project_id", "=", projectId)
    .where("folded", "=", foldTag(name))
    .where("id", "!=", id)
    .executeTakeFirst();
  return row && { id: row.id, createdBy: row.created_by };
}

/** @throws Problem conflict when another tag has the name; not_found */
export async function renameTag(unit: Unit, id: string, name: string): Promise<TagName> {
  const { tx } = unit;
  const folded = foldTag(name);
  const row = await lockTag(tx, id);
  if (await findNamesake(tx, { projectId: row.project_id, id, name }))
    throw new Problem("conflict", { message: sentences.tags.taken({ name }) });
  await tx
    .updateTable("tag")
    .set({ name, folded, search: searchText(name) })
    .where("id", "=", id)
    .execute();
  notifyTags(unit, row.project_id);
  return { id, name };
}

const lockTag = async (tx: Tx, id: string): Promise<TagRow> => {
  const row = await tx
    .selectFrom("tag")
    .selectAll()
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) throw new Problem("not_found", { message: sentences.tags.gone });
  return row;
};

export const notifyTags = ({ outbox, at }: Unit, projectId: string): void => {
  outbox.changes.push({ projectId, userId: null, kind: "tag", id: projectId, at });
};

/** Assets per unit, because other units wait behind it. */
const assetsAtOnce = 500;

/**
 * Removes a tag from a batch of its assets, replacing it with `into` if given, and deletes the tag
 * with the last of them.
 * @returns whether the tag is gone
 */
export async function dissolveTag(unit: Unit, id: string, into: string | null): Promise<boolean> {
  const { tx, at } = unit;
  // In id order, the lock order of every unit that locks several rows.
  const locked = new Map<string, TagRow>();
  for (const one of [id, ...(into === null ? [] : [into])].sort())
    locked.set(one, await lockTag(tx, one));
  const { project_id: projectId } = locked.get(id)!;
  const rows = await tx
    .selectFrom("asset_tag")
    .innerJoin("asset", "asset.id", "asset_tag.asset_id")
    .select(["asset.id", "asset.visibility", "asset.created_by"])
    .where("tag_id", "=", id)
    .orderBy("asset_id")
    .limit(assetsAtOnce)
    .execute();
  const assets = toJson(rows.map((row) => row.id));
  if (into !== null && rows.length > 0)
    await tx
      .insertInto("asset_tag")
      .columns(["asset_id", "tag_id", "user_id", "at"])
      .expression((e) =>
        e
          .selectFrom("asset_tag")
          .select(["asset_id", e.val(into).as("tag_id"), "user_id", "at"])
          .where("tag_id", "=", id)
          .where(isOneOf(tx, "asset_id", assets)),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  await tx
    .deleteFrom("asset_tag")
    .where("tag_id", "=", id)
    .where(isOneOf(tx, "asset_id", assets))
    .execute();
  for (const [userId, some] of Map.groupBy(rows, (row) =>
    row.visibility === "author" ? row.created_by : null,
  ))
    unit.outbox.changes.push({
      projectId,
      userId,
      kind: "assets",
      id: projectId,
      assetIds: some.map((row) => row.id),
      at,
    });
  if (rows.length === assetsAtOnce) return false;
  await tx.deleteFrom("tag").where("id", "=", id).execute();
  notifyTags(unit, projectId);
  return true;
}

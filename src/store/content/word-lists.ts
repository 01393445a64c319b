import { limits } from "#contract/limits.ts";
import { hasEveryWord } from "#domain/text/search-words.ts";
import { fromCursor, page } from "../database/cursor.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, toJson } from "../database/json.ts";
import type { Reader } from "../database/store.ts";
import type { Unit } from "../runs/unit.ts";

export type WordListSummary = { name: string; count: number; updatedAt: number };
export type WordList = WordListSummary & { items: string[] };

/** Lists a project's word lists by name. */
export async function listWordLists(
  db: Reader,
  projectId: string,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<{ lists: WordListSummary[]; next: string | null }> {
  let query = db
    .selectFrom("word_list")
    .select(["folded", "name", "item_count", "updated_at"])
    .where("project_id", "=", projectId);
  if (cursor) query = query.where("folded", ">", fromCursor(cursor, ["string"])[0] as string);
  const rows = await query
    .orderBy("folded")
    .limit(limit + 1)
    .execute();
  const shown = page(rows, limit, ({ folded }) => [folded]);
  return {
    lists: shown.rows.map(({ name, item_count: count, updated_at: updatedAt }) => ({
      name,
      count,
      updatedAt,
    })),
    next: shown.next,
  };
}

/** Finds a project's word lists whose names contain all these words, by name. */
export async function searchWordLists(
  db: Reader,
  { projectId, q, limit }: { projectId: string; q: string; limit: number },
): Promise<WordListSummary[]> {
  const { lists } = await listWordLists(db, projectId, { limit: limits.wordListsPerProject });
  return lists.filter(({ name }) => hasEveryWord(name, q)).slice(0, limit);
}

export async function getWordList(
  db: Reader,
  projectId: string,
  folded: string,
): Promise<WordList | undefined> {
  const row = await db
    .selectFrom("word_list")
    .select(["name", "items", "item_count", "updated_at"])
    .where("project_id", "=", projectId)
    .where("folded", "=", folded)
    .executeTakeFirst();
  return (
    row && {
      name: row.name,
      count: row.item_count,
      updatedAt: row.updated_at,
      items: fromJson<string[]>(row.items),
    }
  );
}

/** Returns the items of those lists that exist, by folded name. */
export async function getItemsOfLists(
  db: Reader,
  projectId: string,
  folded: readonly string[],
): Promise<Map<string, string[]>> {
  if (folded.length === 0) return new Map();
  const rows = await db
    .selectFrom("word_list")
    .select(["folded", "items"])
    .where("project_id", "=", projectId)
    .where(isOneOf(db, "folded", toJson(folded)))
    .execute();
  return new Map(rows.map((row) => [row.folded, fromJson<string[]>(row.items)]));
}

/** Counts a project's word lists. */
export async function countWordLists(db: Reader, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom("word_list")
    .select((e) => e.fn.countAll<number>().as("count"))
    .where("project_id", "=", projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export type NewWordList = {
  projectId: string;
  folded: string;
  name: string;
  items: readonly string[];
  userId: string;
};

/** Creates a list, or replaces its items. */
export async function putWordList(
  unit: Unit,
  { projectId, folded, name, items, userId }: NewWordList,
): Promise<void> {
  const set = { name, items: toJson(items), item_count: items.length, updated_at: unit.at };
  await unit.tx
    .insertInto("word_list")
    .values({ project_id: projectId, folded, created_by: userId, created_at: unit.at, ...set })
    .onConflict((conflict) => conflict.columns(["project_id", "folded"]).doUpdateSet(set))
    .execute();
  notifyWordLists(unit, projectId);
}

/** @returns false when the list doesn't exist */
export async function deleteWordList(
  unit: Unit,
  projectId: string,
  folded: string,
): Promise<boolean> {
  const removed = await unit.tx
    .deleteFrom("word_list")
    .where("project_id", "=", projectId)
    .where("folded", "=", folded)
    .executeTakeFirst();
  if (Number(removed.numDeletedRows) === 0) return false;
  notifyWordLists(unit, projectId);
  return true;
}

const notifyWordLists = ({ outbox, at }: Unit, projectId: string): void =>
  void outbox.changes.push({ projectId, userId: null, kind: "words", id: projectId, at });

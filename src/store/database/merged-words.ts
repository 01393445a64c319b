import { sql } from "kysely";
import type { Store } from "./store.ts";

/**
 * A merge can't stop while it skips words of deleted rows on the way to one that it writes. This
 * many rows take about 5 ms, so a purge is interrupted by a merge after each batch of them.
 */
const maxDeleted = 5_000;
/** About 5 ms as well. */
const maxPages = 32;

/**
 * Merges one table's index after the other once enough of its rows were deleted
 * (migrations/merged-words.ts).
 */
export const mergeWords: Store["mergeWords"] = async (tx, wanted) => {
  const pages = Math.min(wanted.pages, maxPages);
  const { rows } = await sql<{ name: string; merging: number }>`
    select name, merging from stale_fts
    where merging = 1 or deleted >= ${maxDeleted} or (deleted > 0 and merged_at < ${wanted.before ?? 0})
    limit 1`.execute(tx);
  const [index] = rows;
  if (!index) return false;
  const changes = async (): Promise<number> => {
    const counted = await sql<{ n: number }>`select total_changes() as n`.execute(tx);
    return counted.rows[0]!.n;
  };
  if (index.merging === 0)
    await sql`update stale_fts set merging = 1, deleted = 0, merged_at = ${wanted.before === undefined ? sql`merged_at` : wanted.at} where name = ${index.name}`.execute(
      tx,
    );
  const before = await changes();
  // A negative number starts a merge of all segments of the index; a positive one continues it.
  await sql`insert into ${sql.table(index.name)} (${sql.ref(index.name)}, rank) values ('merge', ${index.merging === 1 ? pages : -pages})`.execute(
    tx,
  );
  // The statement itself counts as one change.
  if ((await changes()) - before < 2)
    await sql`update stale_fts set merging = 0 where name = ${index.name}`.execute(tx);
  return true;
};

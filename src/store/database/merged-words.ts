import { sql } from "kysely";
import type { Store } from "./store.ts";

/**
 * A merge reads on over words of deleted rows until it finds one to write, and can't stop in between. For so many rows that takes some
 * 5 ms, so that a purge is interrupted by a merge after each.
 */
const deletedMost = 5_000;
/** Some 5 ms, too. */
const pagesMost = 32;

/** Merges the index of one table after the other, as far as rows were deleted from it (migrations/merged-words.ts). */
export const mergeWords: Store["mergeWords"] = async (tx, wanted) => {
  const pages = Math.min(wanted.pages, pagesMost);
  const { rows } = await sql<{ name: string; merging: number }>`
    select name, merging from stale_fts
    where merging = 1 or deleted >= ${deletedMost} or (deleted > 0 and merged_at < ${wanted.before ?? 0})
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
  // A negative number takes up all parts of the index, a positive one continues with what has been taken up.
  await sql`insert into ${sql.table(index.name)} (${sql.ref(index.name)}, rank) values ('merge', ${index.merging === 1 ? pages : -pages})`.execute(
    tx,
  );
  // The statement itself counts as one change.
  if ((await changes()) - before < 2)
    await sql`update stale_fts set merging = 0 where name = ${index.name}`.execute(tx);
  return true;
};

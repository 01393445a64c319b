import { type RawBuilder, sql } from "kysely";
import { isSqlite } from "../database/is-one-of.ts";
import type { Reader } from "../database/store.ts";

/**
 * The condition that a name or address contains the searched words; undefined when there are none.
 * Every name is read, so columns of another table are matched through a list of ids that is
 * computed once, not per row.
 */
export function hasPart(
  db: Reader,
  q: string | undefined,
  { names, addresses = [] }: { names: readonly string[]; addresses?: readonly string[] },
): RawBuilder<boolean> | undefined {
  const words = q?.trim().toLowerCase();
  if (!words) return undefined;
  const part = `%${words.replace(/[%_\\]/g, "\\$&")}%`;
  // SQLite's LIKE ignores the case of A to Z by itself, and lower() would take longer than the
  // comparison.
  const like = isSqlite(db) ? sql`like` : sql`ilike`;
  const isLike = (column: string, pattern: string) =>
    sql`${sql.ref(column)} ${like} ${pattern} escape '\\'`;
  const conditions = [...names, ...addresses].map((column) => isLike(column, part));
  // For other letters LIKE is case-sensitive. Names start with capitals, so "ünal" also matches
  // "Ünal".
  const named = part.replace(/(?<!\p{L})\P{ASCII}/gu, (letter) => letter.toUpperCase());
  if (named !== part) conditions.push(...names.map((column) => isLike(column, named)));
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

import { type RawBuilder, SqliteAdapter, sql } from "kysely";
import type { Reader } from "../database/store.ts";

/**
 * Whether a name, or an address, has the searched words as a part; undefined where nothing is searched. Every name is read: columns of
 * another table are asked for by a list of ids, which is made once, and not at each row.
 */
export function hasPart(
  db: Reader,
  q: string | undefined,
  { names, addresses = [] }: { names: readonly string[]; addresses?: readonly string[] },
): RawBuilder<boolean> | undefined {
  const words = q?.trim().toLowerCase();
  if (!words) return undefined;
  const part = `%${words.replace(/[%_\\]/g, "\\$&")}%`;
  // SQLite's LIKE takes A to Z for a to z by itself; lower() would take longer than the comparison.
  const like = db.getExecutor().adapter instanceof SqliteAdapter ? sql`like` : sql`ilike`;
  const isLike = (column: string, pattern: string) =>
    sql`${sql.ref(column)} ${like} ${pattern} escape '\\'`;
  const conditions = [...names, ...addresses].map((column) => isLike(column, part));
  // Other letters it knows as they are. As names begin with capitals, "ünal" is also looked for as "Ünal".
  const named = part.replace(/(?<!\p{L})\P{ASCII}/gu, (letter) => letter.toUpperCase());
  if (named !== part) conditions.push(...names.map((column) => isLike(column, named)));
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

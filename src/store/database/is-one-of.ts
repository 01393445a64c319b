import { type RawBuilder, SqliteAdapter, sql } from "kysely";
import type { Reader } from "./store.ts";

export const isSqlite = (db: Reader): boolean => db.getExecutor().adapter instanceof SqliteAdapter;

/**
 * Whether a column is one of these ids, passed as a single parameter. With one parameter per id,
 * every number of ids would be a statement of its own that SQLite caches (0.5 KB an id), and 32,767
 * of them are refused.
 * @param json a JSON list of ids, which a prepared query takes as one value
 */
export function isOneOf(db: Reader, column: string, json: string): RawBuilder<boolean> {
  if (isSqlite(db)) return sql`${sql.ref(column)} in (select value from json_each(${json}))`;
  // An array, because PostgreSQL would join with a list and read the whole table.
  return sql`${sql.ref(column)} = any (array(select jsonb_array_elements_text(cast(${json} as jsonb))))`;
}

import { type RawBuilder, SqliteAdapter, sql } from "kysely";
import type { Reader } from "./store.ts";

/**
 * Whether a column is one of these ids, which are one parameter. With a parameter for each, every number of ids is a statement of its
 * own, which SQLite keeps (0.5 KB an id), and 32,767 of them are refused.
 * @param json a JSON list of ids, which a prepared query gets as one value
 */
export function isOneOf(db: Reader, column: string, json: string): RawBuilder<boolean> {
  if (db.getExecutor().adapter instanceof SqliteAdapter)
    return sql`${sql.ref(column)} in (select value from json_each(${json}))`;
  // As an array: PostgreSQL would join with a list, and read the whole table for it.
  return sql`${sql.ref(column)} = any (array(select jsonb_array_elements_text(cast(${json} as jsonb))))`;
}

import type { DatabaseSync } from "node:sqlite";
import { type RawBuilder, sql } from "kysely";
import { naturalKey, numberDigits } from "#domain/text/natural-key.ts";
import { isSqlite } from "./is-one-of.ts";
import type { Reader } from "./store.ts";

/** Adds `natural_key` to a connection of SQLite, which can't replace by a pattern. */
export const addNaturalKey = (raw: DatabaseSync): void =>
  raw.function("natural_key", { deterministic: true }, (text) => naturalKey(String(text)));

const zeros = sql.lit(`${"0".repeat(numberDigits)}\\1`);
const lastDigits = sql.lit(`[0-9]*([0-9]{${numberDigits}})`);

/** `naturalKey` of a text, in SQL. PostgreSQL puts zeros before each number, then cuts its start. */
export const naturalKeyIn = (db: Reader, text: RawBuilder<string>): RawBuilder<string> =>
  isSqlite(db)
    ? sql<string>`natural_key(${text})`
    : sql<string>`regexp_replace(regexp_replace(${text}, '([0-9]+)', ${zeros}, 'g'), ${lastDigits}, '\\1', 'g')`;

import type { DatabaseSync } from "node:sqlite";
import { type RawBuilder, sql } from "kysely";
import { naturalKey } from "#domain/text/natural-key.ts";
import { isSqlite } from "./is-one-of.ts";
import type { Reader } from "./store.ts";

/** Adds `natural_key` to a connection of SQLite, which can't replace by a pattern. */
export const addNaturalKey = (raw: DatabaseSync): void =>
  raw.function("natural_key", { deterministic: true }, (text) => naturalKey(String(text)));

/** `naturalKey` of a text, in SQL: pads each number with 20 zeros, then leaves its last 20 digits. */
export const naturalKeyIn = (db: Reader, text: RawBuilder<string>): RawBuilder<string> =>
  isSqlite(db)
    ? sql<string>`natural_key(${text})`
    : sql<string>`regexp_replace(regexp_replace(${text}, '([0-9]+)', '00000000000000000000\\1', 'g'), '[0-9]*([0-9]{20})', '\\1', 'g')`;

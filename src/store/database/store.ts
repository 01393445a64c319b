import type { Kysely, Transaction } from "kysely";
import type { Database } from "./schema.ts";

/**
 * Inside one unit of work. On SQLite it shares its transaction with others, and is undone without them.
 *
 * A unit locks the rows that it is about to decide on by `forNoKeyUpdate`: keys never change, so new rows that point at a locked one need
 * not wait. `forKeyShare` keeps a row from being removed, though it may be changed meanwhile; `forUpdate` is for who removes it, and waits
 * for those who keep it. SQLite has one writer: there the locks are left out of the statement.
 */
export type Tx = Kysely<Database> | Transaction<Database>;
/** Reads: inside a unit or outside. */
export type Reader = Kysely<Database>;

/**
 * What is remembered, on either database. All writes of the road go through `write`; a unit does nothing but queries (no
 * fetch, no timer), for others wait behind it, and tells nobody before it has resolved: then it is durable. One whose writes
 * were undone through no fault of its own (a deadlock, a neighbour in its transaction) is run again.
 */
export type Store = {
  engine: "sqlite" | "postgres";
  /** For the sign-in library alone, which brings its own queries. */
  db: Kysely<Database>;
  read: Reader;
  /** @throws what the unit throws, after rolling it back alone; or the commit's failure, for every unit in it. */
  write<T>(unit: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * What admissions and settlements do together (`shared`) and a change of budgets does alone, until the unit ends: a balance is
   * counted from the books while nobody writes them.
   */
  lockBooks(tx: Tx, how: "shared" | "alone"): Promise<void>;
  /** What units on any server that name the same words do one after the other, each until it ends. Taken first in its unit. */
  lockName(tx: Tx, words: string): Promise<void>;
  /** The condition "these words are in it" for a table with a search column; `words` folded by domain/search-words.ts. */
  search: SearchDialect;
  /** The condition "saved before the so many newest that have these words". PostgreSQL finds all of them by itself, and has none. */
  isOlder?: (
    table: "asset",
    words: readonly string[],
    projectId: string,
    newest: number,
  ) => import("kysely").RawBuilder<boolean>;
  /** Whether so many rows have these words that a list rather walks in its own order until its page is full. */
  isCommon(
    table: "asset" | "message",
    words: readonly string[],
    projectId: string,
  ): Promise<boolean>;
  /** Tells other servers of the same database what happened, in one statement; delivery is a hint, the rows are the truth. */
  notify(tx: Tx, hints: readonly Hint[]): Promise<void>;
  /** Receives the hints of other servers, each with its server's id. Calls `onGap` when some may have been missed. */
  listen(
    onHint: (hint: Hint, serverId: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>>;
  /** Held while this process lives; frees itself when the process or the database dies. */
  sessionLock: SessionLocks;
  /**
   * Gives some of the space of deleted rows back to the file system, in a unit of its own. @returns whether there is more. PostgreSQL
   * does so by itself.
   */
  releaseSpace(): Promise<boolean>;
  /**
   * Writes some pages of a full-text index anew without the words of deleted rows, once these are many.
   * @param wanted `at`: the time of now; `before`: of an index that was last merged before this, a few deleted rows are enough
   * @returns whether there is more. PostgreSQL does so by itself.
   */
  mergeWords(
    tx: Tx,
    wanted: { at: number; pages: number; before?: number | undefined },
  ): Promise<boolean>;
  /** The size of what would be lost: a copy of the database before a migration. Undefined where the database is elsewhere. */
  file?: string;
  close(): Promise<void>;
};

/** What one server tells the others. */
export type Hint = {
  /** One word: what it is about. */
  topic: string;
  /** What happened, without a line break. Left out where it is too long for a notice: who wants to know reads the rows. */
  detail?: string;
  /** The one server that hears it; left out, all do. */
  serverId?: string;
};

/**
 * What the PostgreSQL driver says, without a code, of a connection that is gone. The last pattern is a late rollback, whose error
 * replaces the first one.
 */
export const lostConnection = /^Connection terminated|connection timeout|is not queryable/i;

/** What a search of a list needs. */
export type Searchable = Pick<Store, "read" | "search" | "isOlder" | "isCommon">;

/**
 * @param projectId the one project whose rows are asked for; models have none
 * @param newest so many of them at most, those that were saved last; PostgreSQL sorts by itself
 */
export type SearchDialect = (
  table: "asset" | "message" | "model",
  words: readonly string[],
  projectId?: string,
  newest?: number,
) => import("kysely").RawBuilder<boolean>;

type SessionLocks = {
  /** Takes the lock of a worker's boot; true when this session holds it. */
  take(key: string): Promise<boolean>;
  /** True when nobody holds it (its holder is gone, or the database was restarted). */
  isFree(key: string): Promise<boolean>;
  /** The same as a condition of a query, for the key in this column. */
  freeIn(column: string): import("kysely").RawBuilder<boolean>;
};

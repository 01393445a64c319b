import type { Kysely, Transaction } from "kysely";
import type { Database } from "./schema.ts";

/**
 * A database handle inside a unit of work. On SQLite a unit shares its transaction with others, and
 * is rolled back without them.
 *
 * A unit locks the rows it decides on with `forNoKeyUpdate`: keys never change, so inserts that
 * reference a locked row need not wait. `forKeyShare` prevents a row's deletion but not its update;
 * `forUpdate` is for deleting the row, and waits for those key-share locks. SQLite has one writer,
 * so the locks are omitted from its statements.
 */
export type Tx = Kysely<Database> | Transaction<Database>;
/** For reads, inside a unit or outside. */
export type Reader = Kysely<Database>;

/**
 * The store, on either database. The engine's writes all go through `write`. A unit runs queries
 * only (no fetch, no timer), because others wait behind it, and notifies nobody before it has
 * resolved and so is durable. A unit whose writes were undone through no fault of its own (a
 * deadlock, another unit in its transaction) is run again.
 */
export type Store = {
  engine: "sqlite" | "postgres";
  /** Only for the sign-in library, which has its own queries. */
  db: Kysely<Database>;
  read: Reader;
  /**
   * @throws the unit's error, after rolling it back alone; or the commit's failure, for every unit
   *   in it
   */
  write<T>(unit: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Locks the ledger until the unit ends: admissions and settlements take it `shared`, a change of
   * budgets takes it `alone`, so that balances are recounted while nobody writes.
   */
  lockBooks(tx: Tx, how: "shared" | "alone"): Promise<void>;
  /**
   * Serializes units, on all servers, that lock the same words, each until it ends. Must be a
   * unit's first lock.
   */
  lockName(tx: Tx, words: string): Promise<void>;
  /**
   * The condition that a row contains these words, for a table with a search column. `words` are
   * folded by domain/text/search-words.ts.
   */
  search: SearchDialect;
  /**
   * The condition that a row is older than the `newest` most recent rows with these words. Absent
   * on PostgreSQL, which finds all matches itself.
   */
  isOlder?: (
    table: "asset",
    words: readonly string[],
    projectId: string,
    newest: number,
  ) => import("kysely").RawBuilder<boolean>;
  /**
   * Whether the words are so common that a list is faster read in its own order until its page is
   * full.
   */
  isCommon(
    table: "asset" | "message",
    words: readonly string[],
    projectId: string,
  ): Promise<boolean>;
  /**
   * Notifies the other servers of this database, in one statement. Delivery isn't guaranteed: a
   * hint saves time, the rows hold the truth.
   */
  notify(tx: Tx, hints: readonly Hint[]): Promise<void>;
  /**
   * Receives the hints of other servers, with the sender's id. Calls `onGap` when hints may have
   * been missed.
   */
  listen(
    onHint: (hint: Hint, serverId: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>>;
  /** Held while this process lives; released when the process or the database dies. */
  sessionLock: SessionLocks;
  /**
   * Returns some of the space of deleted rows to the file system, in its own unit. PostgreSQL does
   * so by itself.
   * @returns whether there is more
   */
  releaseSpace(): Promise<boolean>;
  /**
   * Rewrites some pages of a full-text index without the words of deleted rows, once there are
   * many. PostgreSQL does so by itself.
   * @param wanted `at`: the current time; `before`: an index last merged before this needs only a
   *   few deleted rows
   * @returns whether there is more
   */
  mergeWords(
    tx: Tx,
    wanted: { at: number; pages: number; before?: number | undefined },
  ): Promise<boolean>;
  /**
   * The database file, copied before a migration; undefined when the database isn't a local file.
   */
  file?: string;
  close(): Promise<void>;
};

/** A notification from one server to the others. */
export type Hint = {
  /** The subject, as one word. */
  topic: string;
  /**
   * The change itself, without line breaks. Left out when too long for a notice: the receiver then
   * reads the rows.
   */
  detail?: string;
  /** The one server that receives it; all do when left out. */
  serverId?: string;
};

/**
 * Messages of the PostgreSQL driver, which have no code, for a lost connection. The last pattern is
 * a late rollback, whose error replaces the first one.
 */
export const lostConnection = /^Connection terminated|connection timeout|is not queryable/i;

/** The parts of the store that searching a list needs. */
export type Searchable = Pick<Store, "read" | "search" | "isOlder" | "isCommon">;

/**
 * @param projectId the project whose rows are searched; models have none
 * @param newest limits the search to this many most recently saved rows; PostgreSQL sorts by itself
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
  /** True when no session holds it: its holder is gone, or the database was restarted. */
  isFree(key: string): Promise<boolean>;
  /** `isFree` as a query condition, for the key in this column. */
  freeIn(column: string): import("kysely").RawBuilder<boolean>;
};

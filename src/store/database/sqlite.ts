import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import {
  Kysely,
  type SelectQueryNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteQueryCompiler,
  type SqliteStatement,
  sql,
} from "kysely";
import { createCheckpoints } from "./checkpoints.ts";
import { type Connect, type Control, controls, createCommitQueue } from "./commit-queue.ts";
import { mergeWords } from "./merged-words.ts";
import { addNaturalKey } from "./natural-key.ts";
import { runAtOnce } from "./prepared.ts";
import type { Database } from "./schema.ts";
import type { Reader, SearchDialect, Store } from "./store.ts";

/** Statements are prepared once; this program has a few hundred queries. */
const maxStatements = 500;

/** Kysely over node:sqlite, whose statements are synchronous. */
function kyselyDatabase(raw: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => raw.close(),
    prepare(text) {
      const known = statements.get(text);
      if (known) return known;
      const statement = text === "rollback" ? toRollback(raw) : toKysely(raw.prepare(text));
      if (statements.size >= maxStatements) statements.clear();
      statements.set(text, statement);
      return statement;
    },
  };
}

function toKysely(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters.map(toSqlite);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

/**
 * Registers `database` to run compiled queries of `db` directly.
 * @param db a Kysely instance whose connection is `database`
 */
function runsAtOnce(db: Reader, database: SqliteDatabase): void {
  runAtOnce(db, (text, parameters) => {
    const statement = database.prepare(text);
    if (statement.reader) return { rows: statement.all(parameters), changed: 0 };
    return { rows: [], changed: Number(statement.run(parameters).changes) };
  });
}

/**
 * After a full disk or an I/O error SQLite may have rolled back by itself. A second rollback would
 * fail and hide the cause.
 */
function toRollback(raw: DatabaseSync): SqliteStatement {
  const statement = toKysely(raw.prepare("rollback"));
  const nothing = { changes: 0, lastInsertRowid: 0 };
  return {
    ...statement,
    run: (parameters) => (raw.isTransaction ? statement.run(parameters) : nothing),
  };
}

/** node:sqlite stores NULL for a Date and refuses a boolean; the sign-in library writes both. */
function toSqlite(value: unknown): SQLInputValue {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === undefined) return null;
  return value as SQLInputValue;
}

/**
 * Tells Kysely that SQLite's DDL is transactional, so that a failed migration leaves no
 * half-changed schema.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
/** Leaves out row locks, which SQLite has no syntax for: it has a single writer. */
export class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectQuery({ endModifiers, ...query }: SelectQueryNode): void {
    super.visitSelectQuery({
      ...query,
      endModifiers: endModifiers?.filter(({ modifier }) => !/^(For|Skip)/.test(modifier ?? "")),
    });
  }
}
class Dialect extends SqliteDialect {
  override createQueryCompiler(): SqliteQueryCompiler {
    return new LocklessCompiler();
  }
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/**
 * Restricts the database to its owner; SQLite gives its log and index the file's own permissions.
 */
function closeToOthers(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  for (const part of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(part)) chmodSync(part, 0o600);
}

/** The value `pragma auto_vacuum` returns for incremental. */
const incrementalVacuum = 2;
/** 4 MB, which the next rows reuse anyway. */
const freePagesKept = 1_000;
/** 2 MB, about a millisecond. */
const pagesAtOnce = 500;

/**
 * Opens the embedded database. WAL with synchronous=FULL: a commit is on disk before anyone is
 * notified. A thread checkpoints the log into the file as it grows; at 64 MB the next commit does
 * the rest and restarts the log.
 * @param file a path, or ":memory:" for a test of one connection
 */
export function openSqlite(file: string, clock: { monotonic(): number }): Store {
  const inMemory = file === ":memory:";
  if (!inMemory) closeToOthers(file);
  const raw = new DatabaseSync(file, { timeout: 0 });
  // Takes effect only in a new file; migrate converts older ones. Setting it again would write, and
  // fail while a server is running.
  if (raw.prepare("pragma auto_vacuum").get()?.auto_vacuum !== incrementalVacuum)
    raw.exec("pragma auto_vacuum = incremental");
  raw.exec(
    "pragma journal_mode = wal; pragma wal_autocheckpoint = 16000; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory; pragma journal_size_limit = 67108864",
  );
  addNaturalKey(raw);
  const database = kyselyDatabase(raw);
  const db = new Kysely<Database>({ dialect: new Dialect({ database }) });
  const connect: Connect = (work) =>
    db.connection().execute((connection) => {
      runsAtOnce(connection, database);
      return work(connection);
    });
  const statements = new Map(controls.map((text) => [text, raw.prepare(text)]));
  const checkpoints = inMemory ? undefined : createCheckpoints(file);
  const control = (text: Control): void => {
    statements.get(text)!.run();
    if (text === "commit") checkpoints?.committed();
  };
  const write = createCommitQueue(connect, control, clock);
  const freePages = raw.prepare("pragma freelist_count");
  const countFree = (): number => Number(freePages.get()?.freelist_count);
  const reading = inMemory ? undefined : openSqliteReader(file);
  return {
    engine: "sqlite",
    db,
    read: reading?.read ?? db,
    write,
    lockBooks: async () => undefined,
    lockName: async () => undefined,
    search,
    isOlder,
    isCommon: isCommonIn(reading?.read ?? db),
    notify: async () => undefined,
    listen: async () => async () => undefined,
    sessionLock: {
      take: async () => true,
      isFree: async () => true,
      freeIn: () => sql<boolean>`true`,
    },
    releaseSpace: () =>
      write(async () => {
        const free = countFree();
        if (free <= freePagesKept) return false;
        // Each step of the statement frees one page, so all pages are requested at once.
        raw.exec(`pragma incremental_vacuum(${Math.min(pagesAtOnce, free - freePagesKept)})`);
        return countFree() < free;
      }),
    mergeWords,
    file: inMemory ? undefined : file,
    async close() {
      await checkpoints?.close();
      await reading?.close();
      await db.destroy();
    },
  };
}

/**
 * Opens an additional read-only connection. It never waits for the writer, because WAL lets both
 * run at once.
 * @param cacheKilobytes SQLite's own default; larger sorts spill to a file
 */
export function openSqliteReader(
  file: string,
  cacheKilobytes = 2_000,
): Pick<Store, "read" | "search" | "isOlder" | "isCommon" | "close"> {
  const raw = new DatabaseSync(file, { timeout: 0, readOnly: true });
  raw.exec(`pragma cache_size = -${cacheKilobytes}`);
  addNaturalKey(raw);
  const database = kyselyDatabase(raw);
  const read = new Kysely<Database>({ dialect: new Dialect({ database }) });
  runsAtOnce(read, database);
  async function close(): Promise<void> {
    await read.destroy();
    // Kysely closes only what it has used itself.
    if (raw.isOpen) raw.close();
  }
  return { read, search, isOlder, isCommon: isCommonIn(read), close };
}

/** Few enough to be found by their rows and sorted in a few milliseconds. */
const maxRare = 2_000;

/**
 * Prefixes each word with its project's number (migrations/search-by-project.ts). A deleted project
 * has no number.
 */
const numbered = (words: readonly string[], projectId: string) =>
  sql`coalesce((select replace(${phraseOf(words.map((word) => `#${word}`))}, '#', printf('%07d', "row")) from project_fts_row where project_id = ${projectId}), '"#"')`;
const phraseOf = (words: readonly string[]): string => words.map((word) => `"${word}"*`).join(" ");

const search: SearchDialect = (table, words, projectId = "", newest) =>
  table === "model"
    ? sql<boolean>`(model.connection_id, model.model_id) in (select connection_id, model_id from model_fts inner join model_fts_row on model_fts_row."row" = model_fts.rowid where model_fts.search match ${phraseOf(words)})`
    : sql<boolean>`${sql.ref(`${table}.row`)} in ${rowsOf(table, words, projectId, newest)}`;

const rowsOf = (
  table: "asset" | "message",
  words: readonly string[],
  projectId: string,
  newest?: number,
) =>
  sql`(select rowid from ${sql.table(`${table}_fts`)} where ${sql.ref(`${table}_fts`)} match ${numbered(words, projectId)} ${newest === undefined ? sql`` : sql`order by rowid desc limit ${newest}`})`;

const isOlder: NonNullable<Store["isOlder"]> = (table, words, projectId, newest) =>
  sql<boolean>`${sql.ref(`${table}.row`)} < (select min(rowid) from ${rowsOf(table, words, projectId, newest)})`;

/** SQLite keeps no word frequencies, and would scan a whole library for a rare word. */
const isCommonIn =
  (read: Reader): Store["isCommon"] =>
  async (table, words, projectId) => {
    const { rows } =
      await sql`select rowid from ${sql.table(`${table}_fts`)} where ${sql.ref(`${table}_fts`)} match ${numbered(words, projectId)} limit 1 offset ${sql.lit(maxRare)}`.execute(
        read,
      );
    return rows.length > 0;
  };

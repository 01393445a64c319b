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
import { runAtOnce } from "./prepared.ts";
import type { Database } from "./schema.ts";
import type { Reader, SearchDialect, Store } from "./store.ts";

/** Statements are prepared once; a library of queries this size has a few hundred. */
const statementsMost = 500;

/** Kysely over node:sqlite, whose statements are synchronous. */
function kyselyDatabase(raw: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => raw.close(),
    prepare(text) {
      const known = statements.get(text);
      if (known) return known;
      const statement = text === "rollback" ? toRollback(raw) : toKysely(raw.prepare(text));
      if (statements.size >= statementsMost) statements.clear();
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

/** What `database` runs for a query that was compiled before. @param db whose connection is `database` */
function runsAtOnce(db: Reader, database: SqliteDatabase): void {
  runAtOnce(db, (text, parameters) => {
    const statement = database.prepare(text);
    if (statement.reader) return { rows: statement.all(parameters), changed: 0 };
    return { rows: [], changed: Number(statement.run(parameters).changes) };
  });
}

/** After a full disk or an I/O error SQLite may have rolled back by itself: a second time fails, and would hide why. */
function toRollback(raw: DatabaseSync): SqliteStatement {
  const statement = toKysely(raw.prepare("rollback"));
  const nothing = { changes: 0, lastInsertRowid: 0 };
  return {
    ...statement,
    run: (parameters) => (raw.isTransaction ? statement.run(parameters) : nothing),
  };
}

/** node:sqlite stores NULL for a Date and refuses a boolean: level both, as the sign-in library writes them. */
function toSqlite(value: unknown): SQLInputValue {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === undefined) return null;
  return value as SQLInputValue;
}

/** Says that DDL is transactional, which it is in SQLite: else a failed migration leaves half a schema. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
/** Leaves out the locks of rows, which SQLite has no words for: one unit writes at a time. */
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

/** The database is for its owner's eyes only; SQLite gives its log and index the rights of the file itself. */
function closeToOthers(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  for (const part of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(part)) chmodSync(part, 0o600);
}

/** As `pragma auto_vacuum` answers it. */
const incrementalVacuum = 2;
/** 4 MB that the next rows take anyway. */
const freePagesKept = 1_000;
/** 2 MB, about a millisecond. */
const pagesAtOnce = 500;

/**
 * Opens the embedded database. WAL with synchronous=FULL: a commit is on the disk before anyone is notified. A thread checkpoints the log into
 * the file as it grows; the next commit does the rest at 64 MB and restarts the log.
 * @param file a path, or ":memory:" for a test of one connection
 */
export function openSqlite(file: string, clock: { monotonic(): number }): Store {
  const inMemory = file === ":memory:";
  if (!inMemory) closeToOthers(file);
  const raw = new DatabaseSync(file, { timeout: 0 });
  // It counts in a new file alone, and migrate brings older ones to it. Said again it would write, and fail beside a server at work.
  if (raw.prepare("pragma auto_vacuum").get()?.auto_vacuum !== incrementalVacuum)
    raw.exec("pragma auto_vacuum = incremental");
  raw.exec(
    "pragma journal_mode = wal; pragma wal_autocheckpoint = 16000; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory; pragma journal_size_limit = 67108864",
  );
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
        // Each step of the statement is one page: all of them are asked for at once.
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
 * A further connection, for reading alone: it never waits for the writer. WAL lets both run at once.
 * @param cacheKilobytes SQLite's own default; what is sorted spills to a file beyond it
 */
export function openSqliteReader(
  file: string,
  cacheKilobytes = 2_000,
): Pick<Store, "read" | "search" | "isOlder" | "isCommon" | "close"> {
  const raw = new DatabaseSync(file, { timeout: 0, readOnly: true });
  raw.exec(`pragma cache_size = -${cacheKilobytes}`);
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

/** Found by their rows and sorted: a few milliseconds. */
const rareMost = 2_000;

/** Each word with the number of its project before it (migrations/search-by-project.ts). A project that is not there has no number. */
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

/** SQLite has no figures of words, and would walk a whole library for one that few have. */
const isCommonIn =
  (read: Reader): Store["isCommon"] =>
  async (table, words, projectId) => {
    const { rows } =
      await sql`select rowid from ${sql.table(`${table}_fts`)} where ${sql.ref(`${table}_fts`)} match ${numbered(words, projectId)} limit 1 offset ${sql.lit(rareMost)}`.execute(
        read,
      );
    return rows.length > 0;
  };

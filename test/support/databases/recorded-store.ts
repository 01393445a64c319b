import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
} from "kysely";
import { openPostgres } from "#store/database/postgres.ts";
import type { Database } from "#store/database/schema.ts";
import { LocklessCompiler, openSqlite } from "#store/database/sqlite.ts";
import type { Store } from "#store/database/store.ts";
import type { DatabaseName } from "./databases.ts";

/** Ends a call that reads on as long as it gets rows. */
const maxStatements = 40;

/** Paged reads may never end here. */
async function readSome(items: AsyncIterable<unknown>): Promise<void> {
  let count = 0;
  for await (const _ of items) if (++count === maxStatements) return;
}

/** Rows with every column: a plausible value by its name, otherwise 1. */
export type AnsweredRows = { count: number; columns: ReadonlyMap<string, unknown> };

const parts = {
  sqlite: {
    adapter: SqliteAdapter,
    compiler: LocklessCompiler,
    introspector: SqliteIntrospector,
  },
  postgres: {
    adapter: PostgresAdapter,
    compiler: PostgresQueryCompiler,
    introspector: PostgresIntrospector,
  },
};

/**
 * A store without a database: each statement is recorded instead of sent, and answered with given
 * rows.
 */
export function createRecordedStore(name: DatabaseName) {
  const { adapter: Adapter, compiler: Compiler, introspector: Introspector } = parts[name];
  let statements: string[] = [];
  let answer: AnsweredRows = { count: 0, columns: new Map() };
  const row = (): object =>
    new Proxy(
      {},
      {
        get: (_, column) =>
          answer.columns.has(String(column)) ? answer.columns.get(String(column)) : 1,
      },
    );
  const connection: DatabaseConnection = {
    executeQuery: async <R>({ sql }: CompiledQuery) => {
      if (statements.length >= maxStatements)
        throw new Error("more statements than one call needs");
      statements.push(sql);
      const rows = Array.from({ length: answer.count }, row) as R[];
      return { rows, numAffectedRows: BigInt(answer.count) };
    },
    async *streamQuery<R>(query: CompiledQuery) {
      yield await connection.executeQuery<R>(query);
    },
  };
  class Recorder extends DummyDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      return connection;
    }
  }
  const dialect: Dialect = {
    createAdapter: () => new Adapter(),
    createDriver: () => new Recorder(),
    createIntrospector: (db) => new Introspector(db),
    createQueryCompiler: () => new Compiler(),
  };
  const db = new Kysely<Database>({ dialect });
  const real =
    name === "sqlite"
      ? openSqlite(":memory:", { monotonic: () => 0 })
      : openPostgres("postgres://nobody@127.0.0.1:1/none", () => undefined);
  const store: Store = { ...real, db, read: db, write: (unit) => unit(db) };
  return {
    store,
    /**
     * The statements that a call sends while they are answered this way. A call that fails because
     * of the rows' contents has sent some before.
     */
    async record(work: () => unknown, answered: AnsweredRows): Promise<string[]> {
      statements = [];
      answer = answered;
      try {
        const result = await work();
        if (result && typeof result === "object" && Symbol.asyncIterator in result)
          await readSome(result as AsyncIterable<unknown>);
      } catch {
        // The statements sent until then are the record.
      }
      return statements;
    },
    close: () => real.close(),
  };
}

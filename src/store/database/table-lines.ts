import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import pg from "pg";
import { wordsOfMessage } from "#domain/text/search-words.ts";
import type { Tx } from "./store.ts";
import { type KeptTable, keptTables } from "./table-list.ts";

const rowsAtOnce = 1_000;

/** Reads tables as lines of JSON, one row each, in a single snapshot. */
export type TableReader = {
  /** The tables this database has; an older schema lacks the later ones. */
  tables(): Promise<KeptTable[]>;
  lines(table: KeptTable): AsyncIterable<string>;
  close(): Promise<void>;
};

/**
 * Reads a live PostgreSQL database without blocking anyone. Dates are in UTC, as JSON writes them.
 */
export async function readPostgres(url: string): Promise<TableReader> {
  const client = new pg.Client({ connectionString: url, application_name: "bottega-backup" });
  // An error that breaks the connection also fails the next query.
  client.on("error", () => undefined);
  await client.connect();
  await client.query("begin isolation level repeatable read read only");
  await client.query("set local timezone = 'UTC'");
  return {
    async tables() {
      const { rows } = await client.query<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = current_schema()",
      );
      return keptAmong(rows);
    },
    async *lines(table) {
      await client.query(
        `declare line no scroll cursor for select row_to_json(t)::text as line from "${table}" t`,
      );
      for (;;) {
        const { rows } = await client.query<{ line: string }>(`fetch ${rowsAtOnce} from line`);
        for (const row of rows) yield row.line;
        if (rows.length < rowsAtOnce) break;
      }
      await client.query("close line");
    },
    close: () => client.end(),
  };
}

/** Reads a copied file that no server uses. */
export function readSqlite(file: string): TableReader {
  const source = new DatabaseSync(file, { readOnly: true });
  return {
    tables: async () =>
      keptAmong(source.prepare("select name from sqlite_master where type = 'table'").all()),
    async *lines(table) {
      for (const row of source.prepare(`select * from "${table}"`).iterate())
        yield JSON.stringify(table === "message" ? withWords(row) : row);
    },
    close: async () => source.close(),
  };
}

const keptAmong = (rows: Record<string, unknown>[]): KeptTable[] => {
  const names = new Set(rows.map(({ name }) => name));
  return keptTables.filter((table) => names.has(table));
};

/** SQLite keeps a message's words only in its index, PostgreSQL in the row. */
const withWords = (row: Record<string, unknown>): Record<string, unknown> => ({
  ...row,
  search: row.search || wordsOfMessage(JSON.parse(String(row.parts))),
});

/** Inserts rows into an empty table of either database. */
export async function insertLines(
  tx: Tx,
  engine: "sqlite" | "postgres",
  table: KeptTable,
  lines: AsyncIterable<string>,
): Promise<number> {
  let count = 0;
  const insert = engine === "postgres" ? insertIntoPostgres : insertIntoSqlite;
  for await (const some of chunks(lines)) {
    await insert(tx, table, some);
    count += some.length;
  }
  return count;
}

async function* chunks(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let some: string[] = [];
  for await (const line of lines) {
    some.push(line);
    if (some.length < rowsAtOnce) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** Matches columns by name, ignoring a column that only one kind of database has. */
async function insertIntoPostgres(tx: Tx, table: string, lines: string[]): Promise<void> {
  const rows = `[${lines.join(",")}]`;
  await sql`insert into ${sql.table(table)} select * from json_populate_recordset(null::${sql.table(table)}, ${rows}::json)`.execute(
    tx,
  );
}

async function insertIntoSqlite(tx: Tx, table: KeptTable, lines: string[]): Promise<void> {
  for (const line of lines) {
    const row = JSON.parse(line) as Record<string, unknown>;
    // Dates of the sign-in library, in the form it writes on SQLite.
    for (const [column, value] of Object.entries(row))
      if (/^[a-z]+([A-Z][a-z]+)*At$/.test(column) && typeof value === "string")
        row[column] = new Date(value).toISOString();
    await tx
      .insertInto(table)
      .values(row as never)
      .execute();
  }
}

/** Empties every table, for a restore with --replace. */
export async function emptyPostgres(tx: Tx, tables: readonly string[]): Promise<void> {
  await sql.raw(`truncate ${tables.map((table) => `"${table}"`).join(", ")}`).execute(tx);
}

/** Counts other Bottega processes connected to this PostgreSQL database. */
export async function countOthers(tx: Tx): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name = 'bottega-locks'`.execute(
    tx,
  );
  return Number(rows[0]?.n ?? 0);
}

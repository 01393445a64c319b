import { type Kysely, sql } from "kysely";

export type Engine = "sqlite" | "postgres";
// biome-ignore lint/suspicious/noExplicitAny: a migration runs against the schema of its own time, which no type of today describes
export type MigrationDatabase = Kysely<any>;

/** Changes the schema or its rows. It runs once, inside the transaction of the whole upgrade. */
export type MigrationStep = (db: MigrationDatabase, engine: Engine) => Promise<void>;

/** Column types on both engines. SQLite has no date or boolean type. */
const types = {
  text: { sqlite: "text", postgres: "text" },
  /** 64 bits: ms, bytes, micro-dollars. */
  int: { sqlite: "integer", postgres: "bigint" },
  /** Types of the sign-in library's columns. */
  time: { sqlite: "date", postgres: "timestamptz" },
  flag: { sqlite: "integer", postgres: "boolean" },
};

export const typeOf = (engine: Engine, type: keyof typeof types): string => types[type][engine];

/** A `?` makes the column nullable. */
export type ColumnType = keyof typeof types | `${keyof typeof types}?`;

/** Describes a table. Constraints and indexes are SQL that both engines accept. */
export type Table = {
  name: string;
  columns: Record<string, ColumnType>;
  constraints: string[];
  /** Statements run after creating the table: indexes, and the triggers of a full-text index. */
  indexes?: string[];
};

/** Creates the table without its indexes. */
export async function createTable(
  db: MigrationDatabase,
  engine: Engine,
  name: string,
  columns: Record<string, ColumnType>,
  constraints: string[],
): Promise<void> {
  const lines = Object.entries(columns).map(([column, type]) => {
    const isNullable = type.endsWith("?");
    const named = typeOf(engine, type.replace("?", "") as keyof typeof types);
    return `"${column}" ${named}${isNullable ? "" : " not null"}`;
  });
  await execute(db, [`create table "${name}" (${[...lines, ...constraints].join(", ")})`]);
}

export async function execute(db: MigrationDatabase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

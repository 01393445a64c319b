import { type Kysely, sql } from "kysely";

export type Engine = "sqlite" | "postgres";
// biome-ignore lint/suspicious/noExplicitAny: a migration runs against the schema of its own time, which no type of today describes
export type MigrationDatabase = Kysely<any>;

/** `text`, `int` (64 bits: ms, bytes, micro-dollars) or `real`; a `?` makes it nullable. */
export type ColumnType = "text" | "int" | "real" | "text?" | "int?" | "real?";

/** Creates one table from a plain description. Constraints and partial indexes are SQL that both engines read. */
export async function createTable(
  db: MigrationDatabase,
  engine: Engine,
  name: string,
  columns: Record<string, ColumnType>,
  constraints: string[],
): Promise<void> {
  const types = {
    text: "text",
    int: engine === "postgres" ? "bigint" : "integer",
    real: engine === "postgres" ? "double precision" : "real",
  };
  const lines = Object.entries(columns).map(([column, type]) => {
    const nullable = type.endsWith("?");
    return `"${column}" ${types[type.replace("?", "") as keyof typeof types]}${nullable ? "" : " not null"}`;
  });
  await sql.raw(`create table "${name}" (${[...lines, ...constraints].join(", ")})`).execute(db);
}

export async function execute(db: MigrationDatabase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

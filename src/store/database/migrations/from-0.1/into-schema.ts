import { sql } from "kysely";
import { createTable, type Engine, execute, type MigrationDatabase, type Table } from "../ddl.ts";
import { schema } from "../schema-0.2.0/index.ts";

/**
 * Tables whose columns the chain left in another order, with another type, or with defaults that
 * nothing relies on.
 */
const rebuilt = [
  "user",
  "session",
  "account",
  "verification",
  "invite",
  "connection",
  "model",
  "model_override",
  "run",
  "output",
  "conversation",
  "ledger_entry",
  "webhook_endpoint",
  "webhook_out",
  "instance",
];

/**
 * The last step of the chain. It turns a database of 0.1 into exactly one of 0.2.0, and marks it as
 * created with that schema. On SQLite foreign keys must be off, or dropping a table would delete
 * the rows that reference it.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  const tables = schema(engine);
  for (const table of tables) if (rebuilt.includes(table.name)) await rebuild(db, engine, table);
  if (engine === "postgres") await restoreForeignKeys(db, tables);
  await execute(db, ["delete from kysely_migration"]);
}

async function rebuild(
  db: MigrationDatabase,
  engine: Engine,
  { name, columns, constraints, indexes = [] }: Table,
): Promise<void> {
  const names = Object.keys(columns).map((column) => `"${column}"`);
  await createTable(db, engine, `new_${name}`, columns, constraints);
  await execute(db, [
    `insert into "new_${name}" (${names}) select ${names} from "${name}"`,
    // On PostgreSQL this also drops the foreign keys that reference it.
    `drop table "${name}"${engine === "postgres" ? " cascade" : ""}`,
    `alter table "new_${name}" rename to "${name}"`,
  ]);
  if (engine === "postgres") await renameConstraints(db, name);
  // The full-text index of models keeps its own tables, whose rows are already right.
  await execute(
    db,
    indexes.filter((statement) => !/^create (virtual )?table/.test(statement)),
  );
}

/** PostgreSQL names constraints after the table they were created with. */
async function renameConstraints(db: MigrationDatabase, table: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`select conname as name from pg_constraint
    where conrelid = to_regclass(${`"${table}"`}) and starts_with(conname, 'new_')`.execute(db);
  await execute(
    db,
    rows.map(
      ({ name }) =>
        `alter table "${table}" rename constraint "${name}" to "${name.slice("new_".length)}"`,
    ),
  );
}

/** Restores foreign keys from tables that stayed to tables that were rebuilt. */
async function restoreForeignKeys(db: MigrationDatabase, tables: readonly Table[]): Promise<void> {
  for (const { name, constraints } of tables)
    for (const constraint of constraints) {
      const target = /references "?(\w+)/.exec(constraint)?.[1];
      if (target !== undefined && rebuilt.includes(target) && !rebuilt.includes(name))
        await execute(db, [`alter table "${name}" add ${constraint}`]);
    }
}

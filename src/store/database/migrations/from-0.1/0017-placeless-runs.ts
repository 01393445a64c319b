import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/** Runs whose job can't be polled for long: they take none of their connection's slots. */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [`alter table run add column placeless integer not null default 0`]);
}

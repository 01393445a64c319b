import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * The number of a run's attempts that only probed a failing service. They don't count against the
 * run.
 */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [`alter table run add column probes integer not null default 0`]);
}

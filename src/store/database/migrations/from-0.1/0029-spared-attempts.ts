import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/** How many of a run's attempts only tried a failing service for everybody: they don't count against the run. */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [`alter table run add column probes integer not null default 0`]);
}

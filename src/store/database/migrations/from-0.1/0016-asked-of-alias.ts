import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/** All that was asked of an alias: the model that a run came to may have no field for some of it. */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [`alter table run add column asked text`]);
}

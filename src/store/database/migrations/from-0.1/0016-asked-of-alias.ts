import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/** The whole request to an alias: the model that a run ends up on may lack some of its fields. */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [`alter table run add column asked text`]);
}

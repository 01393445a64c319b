import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Live sessions: each pinned frame has an input of its own, and the number of sessions per person
 * is limited.
 */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [
    // JSON: the output's own input, when it differs from the run's.
    `alter table output add column input text`,
    `create index run_live on run (user_id) where task = 'live' and finished_at is null`,
  ]);
}

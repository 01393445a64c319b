import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/** Live sessions: each frame that was pinned has an input of its own, and a person has few of them at once. */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [
    // What this output was made of, where that is not the run's own input: JSON.
    `alter table output add column input text`,
    `create index run_live on run (user_id) where task = 'live' and finished_at is null`,
  ]);
}

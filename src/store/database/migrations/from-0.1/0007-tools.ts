import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/** Running tool calls are few, and looked up often. */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [
    `create index message_tools_open on message (id) where role = 'tool' and state = 'streaming'`,
  ]);
}

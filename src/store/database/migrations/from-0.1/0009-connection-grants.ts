import { createTable, type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * The grants that servers issue to a connection when a person signs in there, and sign-ins in
 * progress.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  const columns = {
    connection_id: "text",
    secret: "text?",
    state_hash: "text?",
    user_id: "text?",
    begun_at: "int?",
  } as const;
  await createTable(db, engine, "connection_grant", columns, [
    "primary key (connection_id)",
    "foreign key (connection_id) references connection (id) on delete cascade",
  ]);
  await execute(db, [
    `create unique index connection_grant_state on connection_grant (state_hash)`,
  ]);
}

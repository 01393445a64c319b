import { createTable, type Engine, type MigrationDatabase } from "../ddl.ts";

/** Workflows that people add to a connection. Each is one of its models. */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "workflow",
    {
      connection_id: "text",
      id: "text",
      name: "text",
      document: "text",
      updated_by: "text",
      created_at: "int",
      updated_at: "int",
    },
    [
      "primary key (connection_id, id)",
      "foreign key (connection_id) references connection (id) on delete cascade",
    ],
  );
}

import { createTable, type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Access to models, and aliases for several models. A run stores the models it has not tried yet.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "model_access",
    { connection_id: "text", model_id: "text", subject: "text" },
    [
      "primary key (connection_id, model_id, subject)",
      "foreign key (connection_id) references connection (id) on delete cascade",
    ],
  );
  const alias = {
    name: "text",
    task: "text",
    models: "text",
    made_by: "text",
    created_at: "int",
    updated_at: "int",
  } as const;
  await createTable(db, engine, "model_alias", alias, ["primary key (name)"]);
  const int = engine === "postgres" ? "bigint" : "integer";
  await execute(db, [
    `alter table instance add column models_for text not null default 'everyone'`,
    `alter table instance add column members_connect ${int} not null default 1`,
    `alter table run add column alias text`,
    `alter table run add column next_models text`,
    `create index run_next_models on run (connection_id) where state = 'queued' and next_models is not null`,
  ]);
}

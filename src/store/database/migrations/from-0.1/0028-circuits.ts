import { createTable, type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Consecutive failures and pauses get a table of their own, for a connection or one of its models.
 * A paused connection is retried at once with a free request; shorter failure counts are dropped.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "circuit",
    {
      connection_id: "text",
      model_id: "text?",
      kind: "text",
      failures: "int",
      inputs: "text",
      opened_at: "int?",
      paused_until: "int?",
      detail: "text?",
    },
    [`foreign key (connection_id) references connection (id) on delete cascade`],
  );
  await execute(db, [
    `create unique index circuit_of on circuit (connection_id, coalesce(model_id, ''), kind)`,
    `create index run_queued_model on run (connection_id, model_id, priority desc, id) where state = 'queued'`,
    `insert into circuit (connection_id, model_id, kind, failures, inputs, opened_at, paused_until, detail)
       select id, null, 'network', 5, '', paused_until, paused_until, status_detail from connection where paused_until is not null`,
    `alter table connection drop column failures`,
    `alter table connection drop column paused_until`,
  ]);
}

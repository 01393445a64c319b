import { createTable, type Engine, execute, type MigrationDatabase } from "./ddl.ts";

/** Side-by-side comparisons of results, and the votes on them. */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "comparison",
    {
      id: "text",
      project_id: "text",
      user_id: "text",
      visibility: "text",
      task: "text",
      title: "text",
      blind: "int",
      created_at: "int",
      trashed_at: "int?",
    },
    [`primary key (id)`],
  );
  await createTable(
    db,
    engine,
    "comparison_entry",
    {
      comparison_id: "text",
      position: "int",
      run_id: "text?",
      output_index: "int?",
      message_id: "text?",
    },
    [`primary key (comparison_id, position)`],
  );
  await createTable(
    db,
    engine,
    "vote",
    {
      id: "text",
      comparison_id: "text",
      user_id: "text",
      shown_order: "text",
      best: "text?",
      revealed_before: "int",
      revealed_at: "int?",
      at: "int",
    },
    [`primary key (id)`, `unique (comparison_id, user_id)`],
  );
  await execute(db, [
    `create index comparison_listed on comparison (project_id, id desc) where trashed_at is null`,
    `create index comparison_in_trash on comparison (project_id, id desc) where trashed_at is not null`,
    `create index comparison_trash on comparison (trashed_at) where trashed_at is not null`,
  ]);
}

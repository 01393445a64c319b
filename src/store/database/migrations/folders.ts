import { createTable, type Engine, execute, type MigrationDatabase } from "./ddl.ts";

/**
 * Folders of one person's conversations in a project, and tags of conversations. Both are private
 * to that person.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "folder",
    {
      id: "text",
      project_id: "text",
      user_id: "text",
      parent_id: "text?",
      name: "text",
      position: "int",
      created_at: "int",
    },
    ["primary key (id)", "foreign key (project_id) references project (id) on delete cascade"],
  );
  await createTable(
    db,
    engine,
    "conversation_tag",
    { conversation_id: "text", folded: "text", name: "text" },
    [
      "primary key (conversation_id, folded)",
      "foreign key (conversation_id) references conversation (id) on delete cascade",
    ],
  );
  await execute(db, [
    `alter table conversation add column folder_id text`,
    `create index folder_own on folder (project_id, user_id)`,
    `create index conversation_folder on conversation (folder_id, updated_at desc, id desc) where folder_id is not null`,
    `create index conversation_tag_folded on conversation_tag (folded, conversation_id)`,
  ]);
}

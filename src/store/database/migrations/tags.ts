import { createTable, type Engine, execute, type MigrationDatabase } from "./ddl.ts";

/** A project's tags on its assets. Indexes find a tag's assets and an asset's tags. */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "tag",
    {
      id: "text",
      project_id: "text",
      name: "text",
      folded: "text",
      search: "text",
      created_by: "text",
      created_at: "int",
    },
    ["primary key (id)"],
  );
  await createTable(
    db,
    engine,
    "asset_tag",
    { asset_id: "text", tag_id: "text", user_id: "text", at: "int" },
    ["primary key (asset_id, tag_id)"],
  );
  await execute(db, [
    `create unique index tag_folded on tag (project_id, folded)`,
    `create index asset_tag_tag on asset_tag (tag_id, asset_id)`,
  ]);
}

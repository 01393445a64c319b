import { createTable, type Engine, execute, type MigrationDatabase } from "./ddl.ts";

/**
 * Manually ordered collections of assets, and saved filters. A position is text that sorts between
 * those of its neighbors.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "collection",
    {
      id: "text",
      project_id: "text",
      kind: "text",
      name: "text",
      query: "text?",
      cover_asset_id: "text?",
      created_by: "text",
      trashed_at: "int?",
      created_at: "int",
      updated_at: "int",
    },
    ["primary key (id)", "check (kind in ('manual', 'smart'))"],
  );
  await createTable(
    db,
    engine,
    "collection_item",
    {
      collection_id: "text",
      asset_id: "text",
      order_key: "text",
      added_by: "text",
      added_at: "int",
    },
    ["primary key (collection_id, asset_id)"],
  );
  await execute(db, [
    `create index collection_project on collection (project_id, name, id)`,
    `create index collection_trash on collection (trashed_at) where trashed_at is not null`,
    `create index collection_item_asset on collection_item (asset_id, collection_id)`,
  ]);
}

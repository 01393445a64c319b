import { execute, type MigrationDatabase } from "./ddl.ts";

/**
 * A filter or a page of conversations reads only the rows it shows, in order, however many others
 * there are.
 */
export const up = (db: MigrationDatabase): Promise<void> =>
  execute(db, [
    `alter table asset add column connection_id text`,
    `alter table asset add column model_id text`,
    `update asset set connection_id = (select connection_id from run where run.id = asset.run_id), model_id = (select model_id from run where run.id = asset.run_id) where run_id is not null`,
    `create index asset_model on asset (project_id, connection_id, model_id, ${shown}, kind, pick) where ${listed} and connection_id is not null`,
    // Each index includes the other's column, so that a kept video is found among kept assets
    // without reading the row.
    `drop index asset_kind`,
    `drop index asset_pick`,
    `create index asset_kind on asset (project_id, kind, ${shown}, pick) where ${listed}`,
    `create index asset_pick on asset (project_id, pick, ${shown}, kind) where ${listed}`,
    `drop index conversation_own`,
    `drop index conversation_shared`,
    ...["null", "not null"].flatMap((archived) => {
      const [end, where] = [archived === "null" ? "" : "_archived", `archived_at is ${archived}`];
      return [
        `create index conversation_own${end} on conversation (project_id, user_id, ${newest}) where trashed_at is null and ${where}`,
        `create index conversation_shared${end} on conversation (project_id, ${newest}) where trashed_at is null and ${where} and visibility = 'project'`,
      ];
    }),
    `create index conversation_pinned on conversation (project_id, ${newest}) where trashed_at is null and pinned = 1`,
  ]);

const newest = "updated_at desc, id desc";
/** All columns that counting and laying out a library reads, as in the schema's own indexes. */
const shown =
  "id desc, visibility, created_by, width, height, created_at, trashed_at, deleted_at, upload_id";
const listed = "trashed_at is null and deleted_at is null";

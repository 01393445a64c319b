import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Storage limits in bytes for each person and project, set by admins; null is no limit. The sums
 * read only these indexes, which include trashed files because those still take space. SQLite would
 * read the row for a column that only the condition names, so the index contains it.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  const integer = engine === "postgres" ? "bigint" : "integer";
  await execute(db, [
    `alter table instance add column person_bytes ${integer}`,
    `alter table instance add column project_bytes ${integer}`,
    `create index asset_person_bytes on asset (created_by, bytes, deleted_at) where deleted_at is null`,
    `create index asset_project_bytes on asset (project_id, bytes, deleted_at) where deleted_at is null`,
  ]);
}

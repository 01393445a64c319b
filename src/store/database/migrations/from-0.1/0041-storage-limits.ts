import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Admins may limit the bytes that a person or a project stores; null is no limit. The sums read these indexes alone, which hold
 * trashed files too: they still take room. SQLite reads a row for a column that only the condition names, so it is in them.
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

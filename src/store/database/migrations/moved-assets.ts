import { type Engine, execute, type MigrationDatabase } from "./ddl.ts";

/**
 * A moved asset records the project of its run, and its words are searchable in the project it
 * moved to.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await execute(db, [
    `alter table asset add column made_in text`,
    `create index asset_made_in on asset (made_in, run_id) where made_in is not null`,
  ]);
  // PostgreSQL combines its index with the project's by itself.
  if (engine === "postgres") return;
  await execute(db, [
    `drop trigger asset_fts_update`,
    `create trigger asset_fts_update after update of search, project_id on asset when old.search is not new.search or old.project_id is not new.project_id begin ${deleteOld}; ${insertNew}; end`,
  ]);
}

/** Words as written by the trigger of 0103: each one prefixed with its project's number. */
const number = `printf('%07d', project_fts_row."row")`;
const deleteOld = `delete from asset_fts where rowid = old."row"`;
const insertNew = `insert into asset_fts (rowid, search) select new."row", ${number} || replace(new.search, ' ', ' ' || ${number}) from project_fts_row where project_fts_row.project_id = new.project_id and new.search <> ''`;

import { type Engine, execute, type MigrationDatabase } from "./ddl.ts";

/**
 * FTS5 merged part of an index inside the statement that deleted a tenth of it, which took half a
 * second. Now a chore merges in small steps (database/merged-words.ts). `stale_fts` counts deleted
 * rows for it, however they were deleted. An existing index is due at once. `model_fts` keeps its
 * words in a table, where FTS5 has no such merges.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  if (engine === "postgres") return;
  await execute(db, [
    `create table stale_fts (name text not null primary key, deleted integer not null, merging integer not null, merged_at integer not null)`,
  ]);
  for (const table of ["asset", "message"] as const) {
    const index = `${table}_fts`;
    const wasIndexed = `exists (select 1 from ${index}_docsize where id = old."row")`;
    const count = `begin update stale_fts set deleted = deleted + 1 where name = '${index}'; end`;
    await execute(db, [
      `insert into ${index} (${index}, rank) values ('deletemerge', 0)`,
      // Merges two segments when the chore asks for it, not only four.
      `insert into ${index} (${index}, rank) values ('usermerge', 2)`,
      `insert into stale_fts (name, deleted, merging, merged_at) select '${index}', exists (select 1 from ${index}_docsize), 0, 0`,
      `create trigger ${index}_stale_update before update of ${columns[table]} on ${table} when ${replaced[table]} and ${wasIndexed} ${count}`,
      `create trigger ${index}_stale_delete before delete on ${table} when ${wasIndexed} ${count}`,
    ]);
  }
}

/**
 * When the index replaces a row's words, as its own triggers define: the words of a moved file get
 * another project's number.
 */
const columns = { asset: "search, project_id", message: "search" };
const replaced = {
  asset: `(old.search is not new.search or old.project_id is not new.project_id)`,
  message: `new.search <> ''`,
};

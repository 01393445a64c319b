import { createTable, type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/** Projects imported from an archive, and the facts of their runs elsewhere. */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "project_import",
    {
      id: "text",
      user_id: "text",
      project_id: "text",
      blob_sha256: "text",
      bytes: "int",
      name: "text",
      state: "text",
      files_done: "int",
      files_total: "int",
      files_missing: "int",
      problem: "text?",
      worker_id: "text?",
      failures: "int",
      created_at: "int",
      ended_at: "int?",
      cleaned_at: "int?",
      dismissed_at: "int?",
    },
    ["primary key (id)"],
  );
  await createTable(
    db,
    engine,
    "import_file",
    { import_id: "text", sha256: "text", facts: "text" },
    ["primary key (import_id, sha256)", "foreign key (import_id) references project_import (id)"],
  );
  await execute(db, [
    `alter table run add column imported text`,
    // One open import per person, regardless of concurrent requests.
    `create unique index project_import_open on project_import (user_id) where state = 'open'`,
    `create index project_import_uncleaned on project_import (id) where cleaned_at is null`,
    // The file collector checks whether an import needs a file.
    `create index project_import_blob on project_import (blob_sha256) where cleaned_at is null`,
    `create index import_file_blob on import_file (sha256)`,
  ]);
}

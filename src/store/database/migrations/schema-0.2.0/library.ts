import type { Engine, Table } from "../ddl.ts";
import { rowColumn, rowKey, searchIndex } from "./search.ts";

/** All columns that counting and laying out a library reads, so that neither touches the rows. */
const shown =
  "id desc, visibility, created_by, width, height, created_at, trashed_at, deleted_at, upload_id";
const listed = "where trashed_at is null and deleted_at is null";

/** Files: their bytes, stored once by hash, and the assets that show them. Imports create both. */
export const library = (engine: Engine): Table[] => [
  {
    name: "blob",
    columns: { sha256: "text", bytes: "int", mime: "text", state: "text", created_at: "int" },
    constraints: ["primary key (sha256)"],
    indexes: [`create index blob_created on blob (created_at)`],
  },
  {
    name: "upload",
    columns: {
      id: "text",
      project_id: "text",
      user_id: "text",
      name: "text",
      bytes: "int",
      received: "int",
      sha256: "text?",
      state: "text",
      created_at: "int",
    },
    constraints: ["primary key (id)"],
  },
  {
    // A deleted asset stays as a tombstone, because its lineage refers to it.
    name: "asset",
    columns: {
      ...rowColumn(engine),
      id: "text",
      project_id: "text",
      visibility: "text",
      run_id: "text?",
      output_index: "int?",
      upload_id: "text?",
      created_by: "text",
      blob_sha256: "text",
      kind: "text",
      mime: "text",
      bytes: "int",
      width: "int?",
      height: "int?",
      duration_ms: "int?",
      thumbhash: "text?",
      variants: "text",
      phash: "text?",
      provenance: "text?",
      title: "text",
      prompt_text: "text",
      search: "text",
      pick: "text",
      rating: "int",
      trashed_at: "int?",
      deleted_at: "int?",
      created_at: "int",
    },
    constraints: [...rowKey(engine), "foreign key (project_id) references project (id)"],
    indexes: [
      `create index asset_list on asset (project_id, ${shown}) ${listed}`,
      `create index asset_kind on asset (project_id, kind, ${shown}) ${listed}`,
      `create index asset_pick on asset (project_id, pick, ${shown}) ${listed}`,
      `create index asset_uploaded on asset (project_id, ${shown}) ${listed} and upload_id is not null`,
      `create index asset_trash on asset (project_id, ${shown}) where trashed_at is not null and deleted_at is null`,
      `create index asset_purge on asset (trashed_at) where trashed_at is not null and deleted_at is null`,
      `create index asset_run on asset (run_id) where run_id is not null`,
      `create index asset_blob on asset (blob_sha256)`,
      // For the sums behind storage limits; trashed files still take space. SQLite would read the
      // row for a column that only the condition names, so the index contains it.
      `create index asset_person_bytes on asset (created_by, bytes, deleted_at) where deleted_at is null`,
      `create index asset_project_bytes on asset (project_id, bytes, deleted_at) where deleted_at is null`,
      ...searchIndex(engine, "asset"),
    ],
  },
  {
    name: "project_import",
    columns: {
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
    constraints: ["primary key (id)"],
    indexes: [
      // One open import per person, regardless of concurrent requests.
      `create unique index project_import_open on project_import (user_id) where state = 'open'`,
      `create index project_import_uncleaned on project_import (id) where cleaned_at is null`,
      // The file collector checks whether an import needs a file.
      `create index project_import_blob on project_import (blob_sha256) where cleaned_at is null`,
    ],
  },
  {
    name: "import_file",
    columns: { import_id: "text", sha256: "text", facts: "text" },
    constraints: [
      "primary key (import_id, sha256)",
      "foreign key (import_id) references project_import (id)",
    ],
    indexes: [`create index import_file_blob on import_file (sha256)`],
  },
];

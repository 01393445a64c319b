-- claimImport
update "project_import"
  set "worker_id" = ?
  where "id" = ? and "cleaned_at" is null and ("worker_id" is null or "worker_id" not in (select "id"
  from "worker"
  where "id" != ?))
  returning *;

-- claimImport, on SQLite
select "id"
  from "project_import"
  where "cleaned_at" is null and ("worker_id" is null or "worker_id" not in (select "id"
  from "worker"
  where "id" != ?))
  order by "failures", "id"
  limit ?;

-- claimImport, on PostgreSQL
select "id"
  from "project_import"
  where "cleaned_at" is null and ("worker_id" is null or "worker_id" not in (select "id"
  from "worker"
  where "id" != ?))
  order by "failures", "id"
  limit ?
  for no key update;

-- cleanImport
delete
  from "import_file"
  where "import_id" = ? and "sha256" in (select "sha256"
  from "import_file"
  where "import_id" = ?
  limit ?);
delete
  from "message"
  where "id" in (select "id"
  from "message"
  where "conversation_id" in (select "id"
  from "conversation"
  where "project_id" = ?
  order by "id")
  limit ?);
delete
  from "conversation"
  where "id" in (select "id"
  from "conversation"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "vote"
  where "comparison_id" in (select "id"
  from "comparison"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "comparison_entry"
  where "comparison_id" in (select "id"
  from "comparison"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "asset_tag"
  where "asset_id" in (select "id"
  from "asset"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "collection_item"
  where "asset_id" in (select "id"
  from "asset"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "asset"
  where "id" in (select "id"
  from "asset"
  where "project_id" = ?
  order by "id"
  limit ?)
  returning "blob_sha256";
delete
  from "comparison"
  where "id" in (select "id"
  from "comparison"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "tag"
  where "id" in (select "id"
  from "tag"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "collection"
  where "id" in (select "id"
  from "collection"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "upload"
  where "id" in (select "id"
  from "upload"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "folder"
  where "id" in (select "id"
  from "folder"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "batch"
  where "id" in (select "id"
  from "batch"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "word_list"
  where "project_id" = ?;
delete
  from "run_input"
  where "run_id" in (select "id"
  from "run"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "run"
  where "id" in (select "id"
  from "run"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "project"
  where "id" = ?;

-- countImportFailure
update "project_import"
  set "failures" = "failures" + ?
  where "id" = ? and "worker_id" = ?
  returning "failures";

-- dismissImport
update "project_import"
  set "state" = ?, "ended_at" = ?
  where "id" = ? and "user_id" = ? and "state" = ?;
update "project_import"
  set "dismissed_at" = ?
  where "id" = ? and "user_id" = ?;

-- hasFreeImport
select "id"
  from "project_import"
  where "cleaned_at" is null and ("worker_id" is null or "worker_id" not in (select "id"
  from "worker"
  where "id" != ?))
  order by "failures", "id"
  limit ?;

-- hasOpenImport
select "id"
  from "project_import"
  where "user_id" = ? and "state" = ?;

-- holdImport
update "project_import"
  set "state" = ?, "problem" = ?, "worker_id" = ?, "ended_at" = ?, "cleaned_at" = ?
  where "id" = ? and "state" = ? and "worker_id" = ?;
update "project_import"
  set "worker_id" = ?
  where "id" = ? and "state" = ? and "worker_id" = ?;

-- insertHiddenProject
insert into "project" ("id", "name", "description", "instructions", "owner_id", "defaults", "seq", "archived_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;

-- insertImport
insert into "project_import" ("id", "user_id", "project_id", "blob_sha256", "bytes", "name", "state", "files_done", "files_total", "files_missing", "problem", "worker_id", "failures", "created_at", "ended_at", "cleaned_at", "dismissed_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;

-- insertImportFile
insert into "import_file" ("import_id", "sha256", "facts")
  values (?, ?, ?)
  on conflict do nothing;
update "blob"
  set "mime" = ?
  where "sha256" = ?;
update "project_import"
  set "failures" = ?, "files_done" = "files_done" + ?
  where "id" = ?;

-- listImportFiles
select "sha256"
  from "import_file"
  where "import_id" = ?;

-- listImports
select *
  from "project_import"
  where "user_id" = ? and "state" != ? and "dismissed_at" is null
  order by "id" desc
  limit ?;

-- pruneImports
delete
  from "project_import"
  where "cleaned_at" is not null and ("ended_at" < ? or "dismissed_at" is not null or "state" = ?);

-- releaseImport
update "project_import"
  set "worker_id" = ?
  where "id" = ? and "worker_id" = ?;

-- showProject
insert into "project_member" ("project_id", "user_id", "role", "created_at", "name")
  values (?, ?, ?, ?, coalesce((select name
  from "user"
  where id = ?), ''));

-- adoptStrayBlob
insert into "blob" ("sha256", "bytes", "mime", "state", "created_at")
  values (?, ?, ?, ?, ?)
  on conflict do nothing;

-- claimBlob
update "blob"
  set "created_at" = ?
  where "sha256" = ? and "state" = ?;

-- holdMark
update "blob"
  set "created_at" = ?
  where "sha256" = ? and "state" = ? and "created_at" = ? and (not exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null) and not exists (select "sha256"
  from "import_file"
  where "import_file"."sha256" = "blob"."sha256") and not exists (select "id"
  from "project_import"
  where "project_import"."blob_sha256" = "blob"."sha256" and "cleaned_at" is null));
update "blob"
  set "created_at" = ?, "state" = ?
  where "sha256" = ? and "state" = ? and "created_at" = ?;

-- markUnneededBlobs
update "blob"
  set "state" = ?, "created_at" = ?
  where "sha256" in (?);

-- markUnneededBlobs, on SQLite
select "sha256"
  from "blob"
  where "created_at" < ? and ("created_at" < ? or "state" = ?) and (not exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null) and not exists (select "sha256"
  from "import_file"
  where "import_file"."sha256" = "blob"."sha256") and not exists (select "id"
  from "project_import"
  where "project_import"."blob_sha256" = "blob"."sha256" and "cleaned_at" is null))
  order by "created_at"
  limit ?;

-- markUnneededBlobs, on PostgreSQL
select "sha256"
  from "blob"
  where "created_at" < ? and ("created_at" < ? or "state" = ?) and (not exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null) and not exists (select "sha256"
  from "import_file"
  where "import_file"."sha256" = "blob"."sha256") and not exists (select "id"
  from "project_import"
  where "project_import"."blob_sha256" = "blob"."sha256" and "cleaned_at" is null))
  order by "created_at"
  limit ?
  for no key update;

-- removeBlob
delete
  from "blob"
  where "sha256" = ? and "state" = ?;

-- touchBlob
insert into "blob" ("sha256", "bytes", "mime", "state", "created_at")
  values (?, ?, ?, ?, ?)
  on conflict do nothing;
update "blob"
  set "created_at" = ?
  where "sha256" = ?;

-- touchBlob, on SQLite
select "state"
  from "blob"
  where "sha256" = ?;

-- touchBlob, on PostgreSQL
select "state"
  from "blob"
  where "sha256" = ?
  for no key update;

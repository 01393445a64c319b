-- adoptStrayBlob
insert into "blob" ("sha256", "bytes", "mime", "state", "created_at")
  values (?, ?, ?, ?, ?)
  on conflict do nothing;

-- claimBlob
update "blob"
  set "created_at" = ?
  where "sha256" = ? and "state" = ?;

-- holdMarks, on SQLite
update "blob"
  set "created_at" = ?
  where "sha256" in (select value
  from json_each(?)) and "state" = ? and "created_at" = ? and (not exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null) and not exists (select "sha256"
  from "import_file"
  where "import_file"."sha256" = "blob"."sha256") and not exists (select "id"
  from "project_import"
  where "project_import"."blob_sha256" = "blob"."sha256" and "cleaned_at" is null))
  returning "sha256";
update "blob"
  set "created_at" = ?, "state" = ?
  where "sha256" in (select value
  from json_each(?)) and "state" = ? and "created_at" = ? and not (not exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null) and not exists (select "sha256"
  from "import_file"
  where "import_file"."sha256" = "blob"."sha256") and not exists (select "id"
  from "project_import"
  where "project_import"."blob_sha256" = "blob"."sha256" and "cleaned_at" is null));

-- holdMarks, on PostgreSQL
update "blob"
  set "created_at" = ?
  where "sha256" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "state" = ? and "created_at" = ? and (not exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null) and not exists (select "sha256"
  from "import_file"
  where "import_file"."sha256" = "blob"."sha256") and not exists (select "id"
  from "project_import"
  where "project_import"."blob_sha256" = "blob"."sha256" and "cleaned_at" is null))
  returning "sha256";
update "blob"
  set "created_at" = ?, "state" = ?
  where "sha256" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "state" = ? and "created_at" = ? and not (not exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null) and not exists (select "sha256"
  from "import_file"
  where "import_file"."sha256" = "blob"."sha256") and not exists (select "id"
  from "project_import"
  where "project_import"."blob_sha256" = "blob"."sha256" and "cleaned_at" is null));

-- markUnneededBlobs, on SQLite
select "sha256", "created_at" as "createdAt"
  from "blob"
  where "needed_at" is null and "created_at" < ? and ("created_at" < ? or "state" = ?) and ("created_at", "sha256") > (?, ?)
  order by "created_at", "sha256"
  limit ?;
update "blob"
  set "needed_at" = ?
  where "sha256" in (select value
  from json_each(?)) and exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null);
update "blob"
  set "state" = ?, "created_at" = ?
  where "sha256" in (select value
  from json_each(?)) and (not exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null) and not exists (select "sha256"
  from "import_file"
  where "import_file"."sha256" = "blob"."sha256") and not exists (select "id"
  from "project_import"
  where "project_import"."blob_sha256" = "blob"."sha256" and "cleaned_at" is null))
  returning "sha256";
select "sha256", "created_at" as "createdAt"
  from "blob"
  where "needed_at" is null and "created_at" < ? and ("created_at" < ? or "state" = ?)
  order by "created_at", "sha256"
  limit ?;

-- markUnneededBlobs, on PostgreSQL
select "sha256", "created_at" as "createdAt"
  from "blob"
  where "needed_at" is null and "created_at" < ? and ("created_at" < ? or "state" = ?) and ("created_at", "sha256") > (?, ?)
  order by "created_at", "sha256"
  limit ?
  for no key update;
update "blob"
  set "needed_at" = ?
  where "sha256" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null);
update "blob"
  set "state" = ?, "created_at" = ?
  where "sha256" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and (not exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null) and not exists (select "sha256"
  from "import_file"
  where "import_file"."sha256" = "blob"."sha256") and not exists (select "id"
  from "project_import"
  where "project_import"."blob_sha256" = "blob"."sha256" and "cleaned_at" is null))
  returning "sha256";
select "sha256", "created_at" as "createdAt"
  from "blob"
  where "needed_at" is null and "created_at" < ? and ("created_at" < ? or "state" = ?)
  order by "created_at", "sha256"
  limit ?
  for no key update;

-- releaseBlobs
update "blob"
  set "needed_at" = ?
  where "sha256" = ?;

-- removeBlobs, on SQLite
delete
  from "blob"
  where "sha256" in (select value
  from json_each(?)) and "state" = ?;

-- removeBlobs, on PostgreSQL
delete
  from "blob"
  where "sha256" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "state" = ?;

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

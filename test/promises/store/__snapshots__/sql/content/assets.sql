-- findUpload
select *
  from "asset"
  where "blob_sha256" = ? and "project_id" = ? and "created_by" = ? and "upload_id" is not null and "trashed_at" is null and "deleted_at" is null
  limit ?;

-- getAsset
select *
  from "asset"
  where "id" = ? and "deleted_at" is null;

-- getAssetsIn, on SQLite
select *
  from "asset"
  where "id" in (select value
  from json_each(?)) and "deleted_at" is null and ("visibility" = ? or "created_by" = ?);

-- getAssetsIn, on PostgreSQL
select *
  from "asset"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "deleted_at" is null and ("visibility" = ? or "created_by" = ?);

-- getHash
select "phash", "project_id"
  from "asset"
  where "id" = ? and "deleted_at" is null and ("visibility" = ? or "created_by" = ?);

-- insertAsset
insert into "blob" ("sha256", "bytes", "mime", "state", "created_at")
  values (?, ?, ?, ?, ?)
  on conflict ("sha256") do update
  set "mime" = ?;
select "connection_id", "model_id"
  from "run"
  where "id" = ?;
insert into "asset" ("id", "project_id", "visibility", "run_id", "made_in", "connection_id", "model_id", "output_index", "upload_id", "created_by", "blob_sha256", "kind", "mime", "bytes", "width", "height", "duration_ms", "thumbhash", "variants", "phash", "provenance", "title", "prompt_text", "search", "pick", "rating", "trashed_at", "deleted_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insertKeptAsset
update "blob"
  set "created_at" = ?
  where "sha256" = ? and "state" = ?;
insert into "blob" ("sha256", "bytes", "mime", "state", "created_at")
  values (?, ?, ?, ?, ?)
  on conflict ("sha256") do update
  set "mime" = ?;
select "connection_id", "model_id"
  from "run"
  where "id" = ?;
insert into "asset" ("id", "project_id", "visibility", "run_id", "made_in", "connection_id", "model_id", "output_index", "upload_id", "created_by", "blob_sha256", "kind", "mime", "bytes", "width", "height", "duration_ms", "thumbhash", "variants", "phash", "provenance", "title", "prompt_text", "search", "pick", "rating", "trashed_at", "deleted_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insertRunInputs
insert into "run_input" ("run_id", "asset_id", "role")
  values (?, ?, ?), (?, ?, ?)
  on conflict do nothing;
insert into "run_input" ("run_id", "asset_id", "role")
  values (?, ?, ?)
  on conflict do nothing;

-- insertUpload
insert into "upload" ("id", "project_id", "user_id", "name", "bytes", "received", "sha256", "state", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- listAssets
select *
  from "asset"
  where "project_id" = ? and "deleted_at" is null and "trashed_at" is not null and ("visibility" = ? or "created_by" = ?)
  order by "id" desc
  limit ?;

-- listAssetsOfRuns, on SQLite
select *
  from "asset"
  where "run_id" in (select value
  from json_each(?)) and "made_in" is null and "deleted_at" is null
  order by "run_id", "output_index";

-- listAssetsOfRuns, on PostgreSQL
select *
  from "asset"
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "made_in" is null and "deleted_at" is null
  order by "run_id", "output_index";

-- listFirstAssets, on SQLite
select *
  from "asset"
  where "run_id" in (select value
  from json_each(?)) and "made_in" is null and "deleted_at" is null
  order by "run_id", "output_index";

-- listFirstAssets, on PostgreSQL
select *
  from "asset"
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "made_in" is null and "deleted_at" is null
  order by "run_id", "output_index";

-- listMadeFrom
select "asset".*
  from "asset"
  left join "output" on "output"."run_id" = "asset"."run_id" and "output"."index" = "asset"."output_index"
  where "asset"."run_id" in (select "run_id"
  from "run_input"
  where "asset_id" = ?) and ("output"."input" is null or "output"."input" like ?) and "asset"."made_in" is null and (asset.project_id || '') = ? and "asset"."deleted_at" is null and ("asset"."visibility" = ? or "asset"."created_by" = ?)
  order by "asset"."id"
  limit ?;

-- listRunInputs
select "asset_id", "role"
  from "run_input"
  where "run_id" = ?
  order by "role";

-- listTrashedBefore
select "id"
  from "asset"
  where "trashed_at" < ? and "deleted_at" is null
  order by "trashed_at"
  limit ?;

-- listUnhashed
select "id", "blob_sha256" as "sha256"
  from "asset"
  where "phash" is null and "thumbhash" is not null and "deleted_at" is null and "id" < ?
  order by "id" desc
  limit ?;
select "id", "blob_sha256" as "sha256"
  from "asset"
  where "phash" is null and "thumbhash" is not null and "deleted_at" is null
  order by "id" desc
  limit ?;

-- searchAssets
select *
  from "asset"
  where "project_id" = ? and "deleted_at" is null and "trashed_at" is null and ("visibility" = ? or "created_by" = ?) and "kind" = ? and "pick" = ? and "upload_id" is null and "connection_id" = ? and "model_id" = ?
  order by "id" desc
  limit ?;
select *
  from "asset"
  where "project_id" = ? and "deleted_at" is null and "trashed_at" is not null and ("visibility" = ? or "created_by" = ?)
  order by "id" desc
  limit ?;

-- searchAssets, on SQLite
select *
  from "asset"
  where (asset.project_id || '') = ? and "deleted_at" is null and "trashed_at" is null and ("visibility" = ? or "created_by" = ?) and "kind" = ? and "pick" = ? and "upload_id" is null and "connection_id" = ? and "model_id" = ? and asset.id in (select "asset_id"
  from "asset_tag"
  where "tag_id" in (select value
  from json_each(?)))
  order by "id" desc
  limit ?;
select *
  from "asset"
  where (asset.project_id || '') = ? and "deleted_at" is null and "trashed_at" is not null and ("visibility" = ? or "created_by" = ?) and asset.id in (select "asset_id"
  from "asset_tag"
  where "tag_id" in (select value
  from json_each(?)))
  order by "id" desc
  limit ?;

-- searchAssets, on PostgreSQL
select *
  from "asset"
  where (asset.project_id || '') = ? and "deleted_at" is null and "trashed_at" is null and ("visibility" = ? or "created_by" = ?) and "kind" = ? and "pick" = ? and "upload_id" is null and "connection_id" = ? and "model_id" = ? and asset.id in (select "asset_id"
  from "asset_tag"
  where "tag_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))))
  order by "id" desc
  limit ?;
select *
  from "asset"
  where (asset.project_id || '') = ? and "deleted_at" is null and "trashed_at" is not null and ("visibility" = ? or "created_by" = ?) and asset.id in (select "asset_id"
  from "asset_tag"
  where "tag_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))))
  order by "id" desc
  limit ?;

-- setHashes
update "asset"
  set "phash" = ?
  where "id" = ? and "phash" is null and "deleted_at" is null
  returning "project_id", "visibility", "created_by";

-- updateAssets
select "pick"
  from "asset"
  where "id" = ?;
update "asset"
  set "title" = ?, "pick" = ?, "rating" = ?, "trashed_at" = ?, "deleted_at" = ?, "prompt_text" = ?, "search" = ?, "thumbhash" = ?, "provenance" = ?
  where "id" = ? and "deleted_at" is null
  returning *;
select "model"."name"
  from "run"
  inner join "model" on "model"."connection_id" = "run"."connection_id" and "model"."model_id" = "run"."model_id"
  where "run"."id" = ?;
update "asset"
  set "search" = ?
  where "id" = ?;
update "blob"
  set "needed_at" = ?
  where "sha256" = ?;
update "asset"
  set 
  where "id" = ? and "deleted_at" is null
  returning *;

-- updateAssets, on SQLite
delete
  from "asset_tag"
  where "asset_id" in (select value
  from json_each(?));
delete
  from "collection_item"
  where "asset_id" in (select value
  from json_each(?));

-- updateAssets, on PostgreSQL
delete
  from "asset_tag"
  where "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
delete
  from "collection_item"
  where "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

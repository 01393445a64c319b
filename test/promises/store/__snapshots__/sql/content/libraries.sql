-- readLibrary
select "id", "visibility", "created_by", "connection_id", "model_id", "kind", "pick", "upload_id", "trashed_at", "width", "height", "created_at"
  from "asset"
  where "project_id" = ? and "deleted_at" is null and "trashed_at" is null
  order by "id" desc
  limit ?;
select "id", "visibility", "created_by", "connection_id", "model_id", "kind", "pick", "upload_id", "trashed_at", "width", "height", "created_at"
  from "asset"
  where "project_id" = ? and "deleted_at" is null and "trashed_at" is not null
  order by "id" desc
  limit ?;

-- readLibraryRows, on SQLite
select "id", "visibility", "created_by", "connection_id", "model_id", "kind", "pick", "upload_id", "trashed_at", "width", "height", "created_at"
  from "asset"
  where "id" in (select value
  from json_each(?)) and "deleted_at" is null;

-- readLibraryRows, on PostgreSQL
select "id", "visibility", "created_by", "connection_id", "model_id", "kind", "pick", "upload_id", "trashed_at", "width", "height", "created_at"
  from "asset"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "deleted_at" is null;

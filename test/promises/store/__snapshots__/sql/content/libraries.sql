-- findInLibrary, on SQLite
select "id"
  from "asset"
  where "deleted_at" is null and "project_id" = ? and "asset"."row" in (select rowid
  from "asset_fts"
  where "asset_fts" match coalesce((select replace(?, '#', printf('%07d', "row"))
  from project_fts_row
  where project_id = ?), '"#"') );
select "asset_id"
  from "asset_tag"
  where "tag_id" in (select value
  from json_each(?));

-- findInLibrary, on PostgreSQL
select "id"
  from "asset"
  where "deleted_at" is null and "project_id" = ? and to_tsvector('simple', "asset"."search") @@ to_tsquery('simple', ?);
select "asset_id"
  from "asset_tag"
  where "tag_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- rankTitles, on SQLite
select "id", dense_rank() over (order by natural_key(substr(substr(search, 1, 200), 1, length(case when title = '' then prompt_text else title end))) collate binary) as "rank"
  from "asset"
  where "project_id" = ? and "deleted_at" is null and (title != '' or prompt_text != '');

-- rankTitles, on PostgreSQL
select "id", dense_rank() over (order by regexp_replace(regexp_replace(substr(substr(search, 1, 200), 1, length(case when title = '' then prompt_text else title end)), '([0-9]+)', '00000000000000000000\1', 'g'), '[0-9]*([0-9]{20})', '\1', 'g') collate "C") as "rank"
  from "asset"
  where "project_id" = ? and "deleted_at" is null and (title != '' or prompt_text != '');

-- readLibrary
select "id", "project_id", "run_id", "made_in", "visibility", "created_by", "connection_id", "model_id", "kind", "pick", "rating", "upload_id", "trashed_at", "width", "height", "bytes", "duration_ms", "phash", "created_at"
  from "asset"
  where "project_id" = ? and "deleted_at" is null and "trashed_at" is null
  order by "id" desc
  limit ?;
select "id", "project_id", "run_id", "made_in", "visibility", "created_by", "connection_id", "model_id", "kind", "pick", "rating", "upload_id", "trashed_at", "width", "height", "bytes", "duration_ms", "phash", "created_at"
  from "asset"
  where "project_id" = ? and "deleted_at" is null and "trashed_at" is not null
  order by "id" desc
  limit ?;

-- readLibrary, on SQLite
select distinct "asset_id", "run_id"
  from "run_input"
  where "asset_id" in (select value
  from json_each(?));
select "asset_id", "tag_id" as "id"
  from "asset_tag"
  where "asset_id" in (select value
  from json_each(?));
select "asset_id", "collection_id" as "id"
  from "collection_item"
  where "asset_id" in (select value
  from json_each(?));
select "id", "project_id", "task", "cost_micros", "state", "batch_id", "visibility", "user_id"
  from "run"
  where "id" in (select value
  from json_each(?));

-- readLibrary, on PostgreSQL
select distinct "asset_id", "run_id"
  from "run_input"
  where "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
select "asset_id", "tag_id" as "id"
  from "asset_tag"
  where "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
select "asset_id", "collection_id" as "id"
  from "collection_item"
  where "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
select "id", "project_id", "task", "cost_micros", "state", "batch_id", "visibility", "user_id"
  from "run"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- readLibraryRows, on SQLite
select "id", "project_id", "run_id", "made_in", "visibility", "created_by", "connection_id", "model_id", "kind", "pick", "rating", "upload_id", "trashed_at", "width", "height", "bytes", "duration_ms", "phash", "created_at"
  from "asset"
  where "id" in (select value
  from json_each(?)) and "deleted_at" is null;

-- readLibraryRows, on PostgreSQL
select "id", "project_id", "run_id", "made_in", "visibility", "created_by", "connection_id", "model_id", "kind", "pick", "rating", "upload_id", "trashed_at", "width", "height", "bytes", "duration_ms", "phash", "created_at"
  from "asset"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "deleted_at" is null;

-- renewTitles, on SQLite
select "id", "project_id", substr(substr(search, 1, 200), 1, length(case when title = '' then prompt_text else title end)) as "name"
  from "asset"
  where "id" in (select value
  from json_each(?)) and "deleted_at" is null and (title != '' or prompt_text != '');

-- renewTitles, on PostgreSQL
select "id", "project_id", substr(substr(search, 1, 200), 1, length(case when title = '' then prompt_text else title end)) as "name"
  from "asset"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "deleted_at" is null and (title != '' or prompt_text != '');

-- sortByName, on SQLite
select "id", "name"
  from "connection"
  where "id" in (select value
  from json_each(?));
select "id", "name"
  from "user"
  where "id" in (select value
  from json_each(?));

-- sortByName, on PostgreSQL
select "id", "name"
  from "connection"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
select "id", "name"
  from "user"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

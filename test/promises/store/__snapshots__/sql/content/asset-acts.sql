-- actOnAssets, on SQLite
select *
  from "collection"
  where "id" = ?;
select *
  from "asset"
  where "id" in (select value
  from json_each(?)) and "deleted_at" is null and ("visibility" = ? or "created_by" = ?)
  order by "id";
select "asset_id", "tag_id"
  from "asset_tag"
  where "asset_id" in (select value
  from json_each(?));

-- actOnAssets, on PostgreSQL
select *
  from "collection"
  where "id" = ?
  for no key update;
select *
  from "asset"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "deleted_at" is null and ("visibility" = ? or "created_by" = ?)
  order by "id"
  for no key update;
select "asset_id", "tag_id"
  from "asset_tag"
  where "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- lockSeen, on SQLite
select *
  from "asset"
  where "id" in (select value
  from json_each(?)) and "deleted_at" is null and ("visibility" = ? or "created_by" = ?)
  order by "id";

-- lockSeen, on PostgreSQL
select *
  from "asset"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "deleted_at" is null and ("visibility" = ? or "created_by" = ?)
  order by "id"
  for no key update;

-- dissolveCollection, on SQLite
select "project_id", "trashed_at"
  from "collection"
  where "id" = ?;

-- dissolveCollection, on PostgreSQL
select "project_id", "trashed_at"
  from "collection"
  where "id" = ?
  for no key update;

-- getCollection
select *
  from "collection"
  where "id" = ?;

-- insertCollection
select count(*) as "n"
  from "collection"
  where "project_id" = ?;
insert into "collection" ("id", "project_id", "kind", "name", "query", "cover_asset_id", "created_by", "trashed_at", "created_at", "updated_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- listCollections
select *
  from "collection"
  where "project_id" = ? and "trashed_at" is null;
select *
  from "collection"
  where "project_id" = ? and "trashed_at" is not null;

-- listCollectionsTrashedBefore
select "id"
  from "collection"
  where "trashed_at" < ?
  order by "trashed_at"
  limit ?;

-- listItems
select "asset_id", "order_key"
  from "collection_item"
  where "collection_id" = ?;

-- lockCollection, on SQLite
select *
  from "collection"
  where "id" = ?;

-- lockCollection, on PostgreSQL
select *
  from "collection"
  where "id" = ?
  for no key update;

-- moveItems
select "asset_id", "order_key"
  from "collection_item"
  where "collection_id" = ?;

-- moveItems, on SQLite
select *
  from "collection"
  where "id" = ?;
select "id", "visibility", "created_by"
  from "asset"
  where "id" in (select value
  from json_each(?)) and "deleted_at" is null and ("visibility" = ? or "created_by" = ?);

-- moveItems, on PostgreSQL
select *
  from "collection"
  where "id" = ?
  for no key update;
select "id", "visibility", "created_by"
  from "asset"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "deleted_at" is null and ("visibility" = ? or "created_by" = ?);

-- searchCollections
select *
  from "collection"
  where "project_id" = ? and "trashed_at" is null;

-- updateCollection
update "collection"
  set "updated_at" = ?, "name" = ?, "cover_asset_id" = ?, "query" = ?, "trashed_at" = ?
  where "id" = ?
  returning *;
update "collection"
  set "updated_at" = ?
  where "id" = ?
  returning *;

-- collectRows
select "asset_id", "order_key"
  from "collection_item"
  where "collection_id" = ?;
insert into "collection_item" ("collection_id", "asset_id", "order_key", "added_by", "added_at")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
insert into "collection_item" ("collection_id", "asset_id", "order_key", "added_by", "added_at")
  values (?, ?, ?, ?, ?);

-- uncollectRows, on SQLite
delete
  from "collection_item"
  where "collection_id" = ? and "asset_id" in (select value
  from json_each(?))
  returning "asset_id", "order_key";

-- uncollectRows, on PostgreSQL
delete
  from "collection_item"
  where "collection_id" = ? and "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  returning "asset_id", "order_key";

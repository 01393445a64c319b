-- countWordLists
select count(*) as "count"
  from "word_list"
  where "project_id" = ?;

-- deleteWordList
delete
  from "word_list"
  where "project_id" = ? and "folded" = ?;

-- getItemsOfLists, on SQLite
select "folded", "items"
  from "word_list"
  where "project_id" = ? and "folded" in (select value
  from json_each(?));

-- getItemsOfLists, on PostgreSQL
select "folded", "items"
  from "word_list"
  where "project_id" = ? and "folded" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- getWordList
select "name", "items", "item_count", "updated_at"
  from "word_list"
  where "project_id" = ? and "folded" = ?;

-- listWordLists
select "folded", "name", "item_count", "updated_at"
  from "word_list"
  where "project_id" = ?
  order by "folded"
  limit ?;

-- putWordList
insert into "word_list" ("project_id", "folded", "created_by", "created_at", "name", "items", "item_count", "updated_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("project_id", "folded") do update
  set "name" = ?, "items" = ?, "item_count" = ?, "updated_at" = ?;

-- searchWordLists
select "folded", "name", "item_count", "updated_at"
  from "word_list"
  where "project_id" = ?
  order by "folded"
  limit ?;

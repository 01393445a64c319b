-- countTags
select count(*) as "n"
  from "tag"
  where "project_id" = ?;

-- dissolveTag
select "asset"."id", "asset"."visibility", "asset"."created_by"
  from "asset_tag"
  inner join "asset" on "asset"."id" = "asset_tag"."asset_id"
  where "tag_id" = ?
  order by "asset_id"
  limit ?;
delete
  from "tag"
  where "id" = ?;

-- dissolveTag, on SQLite
select *
  from "tag"
  where "id" = ?;
insert into "asset_tag" ("asset_id", "tag_id", "user_id", "at") select "asset_id", ? as "tag_id", "user_id", "at"
  from "asset_tag"
  where "tag_id" = ? and "asset_id" in (select value
  from json_each(?))
  on conflict do nothing;
delete
  from "asset_tag"
  where "tag_id" = ? and "asset_id" in (select value
  from json_each(?));

-- dissolveTag, on PostgreSQL
select *
  from "tag"
  where "id" = ?
  for no key update;
insert into "asset_tag" ("asset_id", "tag_id", "user_id", "at") select "asset_id", ? as "tag_id", "user_id", "at"
  from "asset_tag"
  where "tag_id" = ? and "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  on conflict do nothing;
delete
  from "asset_tag"
  where "tag_id" = ? and "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- ensureTags
select count(*) as "n"
  from "tag"
  where "project_id" = ?;

-- ensureTags, on SQLite
select "id", "name", "folded"
  from "tag"
  where "project_id" = ? and "folded" in (select value
  from json_each(?));

-- ensureTags, on PostgreSQL
select "id", "name", "folded"
  from "tag"
  where "project_id" = ? and "folded" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- findNamesake
select "id", "created_by"
  from "tag"
  where "project_id" = ? and "folded" = ? and "id" != ?;

-- findTags, on SQLite
select "id", "name", "folded"
  from "tag"
  where "project_id" = ? and "folded" in (select value
  from json_each(?));

-- findTags, on PostgreSQL
select "id", "name", "folded"
  from "tag"
  where "project_id" = ? and "folded" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- findTagsByWords
select "id", "name", "folded", "search", "created_by"
  from "tag"
  where "project_id" = ?
  order by "folded";

-- getTags, on SQLite
select "id", "name", "project_id"
  from "tag"
  where "id" in (select value
  from json_each(?));

-- getTags, on PostgreSQL
select "id", "name", "project_id"
  from "tag"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- listTags
select "id", "name", "folded", "search", "created_by"
  from "tag"
  where "project_id" = ?
  order by "folded";

-- listTagsOf
select "tag"."id", "tag"."name"
  from "asset_tag"
  inner join "tag" on "tag"."id" = "asset_tag"."tag_id"
  where "asset_tag"."asset_id" = ?
  order by "tag"."folded";

-- lockTags, on SQLite
select "id"
  from "tag"
  where "id" in (select value
  from json_each(?))
  order by "id";

-- lockTags, on PostgreSQL
select "id"
  from "tag"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  order by "id"
  for no key update;

-- putTags
insert into "tag" ("id", "project_id", "name", "folded", "search", "created_by", "created_at")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("project_id", "folded") do nothing;

-- putTags, on SQLite
select "id", "name", "folded"
  from "tag"
  where "project_id" = ? and "folded" in (select value
  from json_each(?));

-- putTags, on PostgreSQL
select "id", "name", "folded"
  from "tag"
  where "project_id" = ? and "folded" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- renameTag
select "id", "created_by"
  from "tag"
  where "project_id" = ? and "folded" = ? and "id" != ?;

-- renameTag, on SQLite
select *
  from "tag"
  where "id" = ?;

-- renameTag, on PostgreSQL
select *
  from "tag"
  where "id" = ?
  for no key update;

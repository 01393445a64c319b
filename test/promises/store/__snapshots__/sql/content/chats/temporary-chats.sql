-- deleteTemporary
select "run"."id", "run"."finished_at" as "finishedAt"
  from "message"
  inner join "run" on "run"."message_id" = "message"."id"
  where "message"."conversation_id" = ?
  order by "run"."id";
update "run"
  set "input" = ?, "asked" = ?, "next_models" = ?, "result" = ?, "error" = ?
  where "id" = ?;
delete
  from "run_event"
  where "run_id" = ? and "type" in (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
delete
  from "run_input"
  where "run_id" = ?;
delete
  from "output"
  where "run_id" = ? and "state" != ?;
select "id", "state"
  from "message"
  where "conversation_id" = ?
  order by "id";
update "asset"
  set "deleted_at" = ?, "title" = ?, "prompt_text" = ?, "search" = ?, "thumbhash" = ?, "provenance" = ?
  where "id" = ? and "deleted_at" is null
  returning *;
update "blob"
  set "needed_at" = ?
  where "sha256" = ?;
delete
  from "message"
  where "conversation_id" = ?;
delete
  from "conversation"
  where "id" = ?;

-- deleteTemporary, on SQLite
select *
  from "run"
  where "id" = ?;
select *
  from "conversation"
  where "id" = ?;
select "id"
  from "asset"
  where "run_id" in (select value
  from json_each(?)) and "deleted_at" is null
  order by "id";
delete
  from "asset_tag"
  where "asset_id" in (select value
  from json_each(?));
delete
  from "collection_item"
  where "asset_id" in (select value
  from json_each(?));

-- deleteTemporary, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;
select *
  from "conversation"
  where "id" = ?
  for no key update;
select "id"
  from "asset"
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "deleted_at" is null
  order by "id";
delete
  from "asset_tag"
  where "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
delete
  from "collection_item"
  where "asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- listOverTemporary
select "id"
  from "conversation"
  where "temporary" = 1 and "trashed_at" > ?
  limit ?;
select "id"
  from "conversation"
  where "temporary" = 1 and "updated_at" < ?
  limit ?;

-- listRunsOfConversation
select "run"."id", "run"."finished_at" as "finishedAt"
  from "message"
  inner join "run" on "run"."message_id" = "message"."id"
  where "message"."conversation_id" = ?
  order by "run"."id";

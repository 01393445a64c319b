-- getMessagesByIds, on SQLite
select *
  from "message"
  where "id" in (select value
  from json_each(?)) and "conversation_id" = ? and "trashed_at" is null
  order by "id";

-- getMessagesByIds, on PostgreSQL
select *
  from "message"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "conversation_id" = ? and "trashed_at" is null
  order by "id";

-- listContextMessages
select *
  from "message"
  where "conversation_id" = ? and "trashed_at" is null and "role" = 'context'
  order by "id";

-- listNewestMessages
select *
  from "message"
  where "conversation_id" = ? and "trashed_at" is null
  order by "id" desc
  limit ?;
select *
  from "message"
  where "conversation_id" = ? and "trashed_at" is null and "role" = 'context'
  order by "id";

-- pageMessages
select *
  from "message"
  where "conversation_id" = ? and "trashed_at" is null and "id" > ?
  order by "id"
  limit ?;

-- readOutline
select "id", "parent_id", "role", "ask_group", "ask_column"
  from "message"
  where "conversation_id" = ? and "trashed_at" is null
  order by "id";

-- sumCosts
select "run"."state", "run"."cost_micros", "run"."cost_basis", "run"."held_micros", "run"."finished_at", "run"."price_snapshot", "run"."imported"
  from "message"
  inner join "run" on "run"."message_id" = "message"."id"
  where "message"."conversation_id" = ? and ("run"."id" = "message"."run_id" or "message"."role" = 'tool');

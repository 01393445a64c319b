-- listAnswerGroup
select *
  from "message"
  where "ask_group" = ? and "trashed_at" is null
  order by "id";

-- pickAnswer
select *
  from "message"
  where "ask_group" = ? and "trashed_at" is null
  order by "id";
select "id", "parent_id", "role"
  from "message"
  where "conversation_id" = ? and "trashed_at" is null
  order by "id";
update "conversation"
  set "head_message_id" = ?, "updated_at" = ?
  where "id" = ?;

-- pickAnswer, on SQLite
select *
  from "conversation"
  where "id" = ?;

-- pickAnswer, on PostgreSQL
select *
  from "conversation"
  where "id" = ?
  for no key update;

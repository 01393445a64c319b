-- putFeedback
select *
  from "message"
  where "id" = ? and "trashed_at" is null;

-- putFeedback, on SQLite
select *
  from "conversation"
  where "id" = ?;

-- putFeedback, on PostgreSQL
select *
  from "conversation"
  where "id" = ?
  for no key update;

-- removeFeedback
select *
  from "message"
  where "id" = ? and "trashed_at" is null;
delete
  from "feedback"
  where "message_id" = ? and "user_id" = ?;

-- removeFeedback, on SQLite
select *
  from "conversation"
  where "id" = ?;

-- removeFeedback, on PostgreSQL
select *
  from "conversation"
  where "id" = ?
  for no key update;

-- withFeedback, on SQLite
select "feedback"."message_id" as "messageId", "feedback"."user_id" as "userId", "user"."name" as "person", "feedback"."value", "feedback"."reasons", "feedback"."text", "feedback"."at"
  from "feedback"
  inner join "user" on "user"."id" = "feedback"."user_id"
  where "feedback"."message_id" in (select value
  from json_each(?))
  order by "feedback"."at", "feedback"."user_id";

-- withFeedback, on PostgreSQL
select "feedback"."message_id" as "messageId", "feedback"."user_id" as "userId", "user"."name" as "person", "feedback"."value", "feedback"."reasons", "feedback"."text", "feedback"."at"
  from "feedback"
  inner join "user" on "user"."id" = "feedback"."user_id"
  where "feedback"."message_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  order by "feedback"."at", "feedback"."user_id";

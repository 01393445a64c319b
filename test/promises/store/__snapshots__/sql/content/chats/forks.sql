-- getForkSource
select "forked_from", (select max("message"."id") as "id"
  from "message"
  where "message"."conversation_id" = "conversation"."id" and "message"."copy_of" is not null and "message"."trashed_at" is null and "message"."role" <> 'context') as "up_to"
  from "conversation"
  where "id" = ? and "forked_from" is not null;
select "message"."id" as "messageId", "conversation"."id" as "conversationId", "title"
  from "message"
  inner join "conversation" on "conversation"."id" = "message"."conversation_id"
  where "message"."id" = ? and "conversation"."trashed_at" is null and ("conversation"."visibility" = ? or "conversation"."user_id" = ?);

-- insertFork
insert into "conversation" ("id", "project_id", "user_id", "visibility", "title", "system_prompt", "settings", "pinned", "temporary", "archived_at", "trashed_at", "head_message_id", "folder_id", "titling", "forked_from", "created_at", "updated_at", "idempotency_scope", "idempotency_key", "request_hash")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insertFork, on SQLite
select *
  from "message"
  where "id" in (select value
  from json_each(?))
  order by "id";

-- insertFork, on PostgreSQL
select *
  from "message"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  order by "id";

-- planFork
select "id", "parent_id", "role", "state", octet_length("parts") as "bytes"
  from "message"
  where "conversation_id" = ? and "trashed_at" is null
  order by "id";

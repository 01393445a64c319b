-- completeMessage
update "message"
  set "state" = ?, "parts" = ?, "search" = ?
  where "id" = ?;
update "conversation"
  set "updated_at" = ?
  where "id" = (select "conversation_id"
  from "message"
  where "id" = ?)
  returning "id", "project_id" as "projectId", "user_id" as "userId", "visibility", "titling";

-- expireConversation
select "id"
  from "message"
  where "conversation_id" = ? and "state" = ?
  limit ?;

-- expireConversation, on SQLite
select *
  from "conversation"
  where "id" = ?;

-- expireConversation, on PostgreSQL
select *
  from "conversation"
  where "id" = ?
  for no key update;

-- findConversationByIdempotencyKey
select *
  from "conversation"
  where "idempotency_scope" = ? and "idempotency_key" = ?;

-- findMessage
select *
  from "message"
  where "id" = ? and "trashed_at" is null;

-- findMessageByIdempotencyKey
select *
  from "message"
  where "idempotency_scope" = ? and "idempotency_key" = ?;

-- getConversation
select *
  from "conversation"
  where "id" = ?;

-- getMessage
select *
  from "message"
  where "id" = ?;

-- insertConversation
insert into "conversation" ("id", "project_id", "user_id", "visibility", "title", "system_prompt", "settings", "pinned", "temporary", "archived_at", "trashed_at", "head_message_id", "folder_id", "titling", "forked_from", "created_at", "updated_at", "idempotency_scope", "idempotency_key", "request_hash")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insertMessage
insert into "message" ("id", "conversation_id", "parent_id", "role", "state", "parts", "search", "run_id", "copy_of", "continues_id", "ask_group", "ask_column", "picked_at", "merged_from", "trashed_at", "idempotency_scope", "idempotency_key", "request_hash", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insertMessages
insert into "message" ("id", "conversation_id", "parent_id", "role", "state", "parts", "search", "run_id", "copy_of", "continues_id", "ask_group", "ask_column", "picked_at", "merged_from", "trashed_at", "idempotency_scope", "idempotency_key", "request_hash", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "message" ("id", "conversation_id", "parent_id", "role", "state", "parts", "search", "run_id", "copy_of", "continues_id", "ask_group", "ask_column", "picked_at", "merged_from", "trashed_at", "idempotency_scope", "idempotency_key", "request_hash", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- listBranch
select *
  from "message"
  where "conversation_id" = ? and "trashed_at" is null
  order by "id";

-- listMessages
select *
  from "message"
  where "conversation_id" = ? and "trashed_at" is null
  order by "id";

-- lockConversation, on SQLite
select *
  from "conversation"
  where "id" = ?;

-- lockConversation, on PostgreSQL
select *
  from "conversation"
  where "id" = ?
  for no key update;

-- lockOpenMessage, on SQLite
select *
  from "message"
  where "id" = ?;

-- lockOpenMessage, on PostgreSQL
select *
  from "message"
  where "id" = ?
  for no key update;

-- moveConversation
update "conversation"
  set "title" = ?, "head_message_id" = ?, "updated_at" = ?
  where "id" = ?;
update "conversation"
  set 
  where "id" = ?;

-- purgeConversations
select "id"
  from "conversation"
  where "trashed_at" < ? and "id" = ?
  order by "trashed_at"
  limit ?;
select "id"
  from "conversation"
  where "trashed_at" < ?
  order by "trashed_at"
  limit ?;

-- purgeConversations, on SQLite
delete
  from "message"
  where "id" in (select "id"
  from "message"
  where "conversation_id" in (select value
  from json_each(?))
  limit ?);

-- purgeConversations, on PostgreSQL
delete
  from "message"
  where "id" in (select "id"
  from "message"
  where "conversation_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  limit ?);

-- updateConversation
select *
  from "conversation"
  where "id" = ?;
select "run"."id", "run"."project_id" as "projectId"
  from "message"
  inner join "run" on ("run"."message_id" = "message"."id" or "run"."message_id" = "message"."copy_of")
  where "message"."conversation_id" = ? and "run"."visibility" != ? and not exists (select "other"."id"
  from "message" as "other"
  inner join "conversation" as "elsewhere" on "elsewhere"."id" = "other"."conversation_id"
  where "other"."id" = "run"."message_id" and "other"."trashed_at" is null and "elsewhere"."id" != ? and "elsewhere"."visibility" = ? and "elsewhere"."trashed_at" is null) and not exists (select "other"."id"
  from "message" as "other"
  inner join "conversation" as "elsewhere" on "elsewhere"."id" = "other"."conversation_id"
  where "other"."copy_of" = "run"."message_id" and "other"."trashed_at" is null and "elsewhere"."id" != ? and "elsewhere"."visibility" = ? and "elsewhere"."trashed_at" is null)
  order by "run"."id";
update "run"
  set "visibility" = ?
  where "id" = ?;
select "id", "project_id"
  from "asset"
  where "run_id" = ?
  order by "id";
update "asset"
  set "visibility" = ?
  where "id" = ?;
update "conversation"
  set "title" = ?, "titling" = ?, "pinned" = ?, "archived_at" = ?, "trashed_at" = ?, "idempotency_scope" = ?, "idempotency_key" = ?, "request_hash" = ?, "visibility" = ?, "system_prompt" = ?, "settings" = ?, "head_message_id" = ?, "updated_at" = ?
  where "id" = ?
  returning *;

-- updateOpenMessage
update "message"
  set "parts" = ?
  where "id" = ?;
select *
  from "conversation"
  where "id" = ?;

-- shareRuns
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
select "run"."id", "run"."project_id" as "projectId"
  from "message"
  inner join "run" on ("run"."message_id" = "message"."id" or "run"."message_id" = "message"."copy_of")
  where "message"."conversation_id" = ? and "run"."visibility" != ? and "message"."trashed_at" is null
  order by "run"."id";
select "run"."id", "run"."project_id" as "projectId"
  from "message"
  inner join "run" on ("run"."message_id" = "message"."id" or "run"."message_id" = "message"."copy_of")
  where "message"."conversation_id" = ? and "run"."visibility" != ? and "message"."trashed_at" is not null and not exists (select "other"."id"
  from "message" as "other"
  inner join "conversation" as "elsewhere" on "elsewhere"."id" = "other"."conversation_id"
  where "other"."id" = "run"."message_id" and "other"."trashed_at" is null and "elsewhere"."id" != ? and "elsewhere"."visibility" = ? and "elsewhere"."trashed_at" is null) and not exists (select "other"."id"
  from "message" as "other"
  inner join "conversation" as "elsewhere" on "elsewhere"."id" = "other"."conversation_id"
  where "other"."copy_of" = "run"."message_id" and "other"."trashed_at" is null and "elsewhere"."id" != ? and "elsewhere"."visibility" = ? and "elsewhere"."trashed_at" is null)
  order by "run"."id";
select "id", "project_id"
  from "asset"
  where "run_id" = ? and "made_in" is null
  order by "id";
update "asset"
  set "visibility" = ?
  where "id" = ? and "made_in" is null;

-- updateSharedRuns
select "id", "visibility"
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
select "run"."id", "run"."project_id" as "projectId"
  from "message"
  inner join "run" on ("run"."message_id" = "message"."id" or "run"."message_id" = "message"."copy_of")
  where "message"."conversation_id" = ? and "run"."visibility" != ? and "message"."trashed_at" is null
  order by "run"."id";
select "run"."id", "run"."project_id" as "projectId"
  from "message"
  inner join "run" on ("run"."message_id" = "message"."id" or "run"."message_id" = "message"."copy_of")
  where "message"."conversation_id" = ? and "run"."visibility" != ? and "message"."trashed_at" is not null and not exists (select "other"."id"
  from "message" as "other"
  inner join "conversation" as "elsewhere" on "elsewhere"."id" = "other"."conversation_id"
  where "other"."id" = "run"."message_id" and "other"."trashed_at" is null and "elsewhere"."id" != ? and "elsewhere"."visibility" = ? and "elsewhere"."trashed_at" is null) and not exists (select "other"."id"
  from "message" as "other"
  inner join "conversation" as "elsewhere" on "elsewhere"."id" = "other"."conversation_id"
  where "other"."copy_of" = "run"."message_id" and "other"."trashed_at" is null and "elsewhere"."id" != ? and "elsewhere"."visibility" = ? and "elsewhere"."trashed_at" is null)
  order by "run"."id";
select "id", "project_id"
  from "asset"
  where "run_id" = ? and "made_in" is null
  order by "id";
update "asset"
  set "visibility" = ?
  where "id" = ? and "made_in" is null;

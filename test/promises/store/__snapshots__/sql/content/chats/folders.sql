-- deleteFolder
select "project_id" as "projectId", "user_id" as "userId"
  from "folder"
  where "id" = ?;

-- deleteFolder, on SQLite
select *
  from "folder"
  where "project_id" = ? and "user_id" = ?
  order by "id";

-- deleteFolder, on PostgreSQL
select *
  from "folder"
  where "project_id" = ? and "user_id" = ?
  order by "id"
  for no key update;

-- fileConversation, on SQLite
select "project_id" as "projectId", "user_id" as "userId", "temporary"
  from "conversation"
  where "id" = ?;

-- fileConversation, on PostgreSQL
select "project_id" as "projectId", "user_id" as "userId", "temporary"
  from "conversation"
  where "id" = ?
  for no key update;

-- getFiling
select "folder_id"
  from "conversation"
  where "id" = ?;
select "name"
  from "conversation_tag"
  where "conversation_id" = ?
  order by "folded";

-- insertFolder
insert into "folder" ("id", "project_id", "user_id", "parent_id", "name", "position", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);

-- insertFolder, on SQLite
select *
  from "folder"
  where "project_id" = ? and "user_id" = ?
  order by "id";

-- insertFolder, on PostgreSQL
select *
  from "folder"
  where "project_id" = ? and "user_id" = ?
  order by "id"
  for no key update;

-- listConversationTags
select "folded", max("conversation_tag"."name") as "name", count(*) as "n"
  from "conversation_tag"
  inner join "conversation" on "conversation"."id" = "conversation_tag"."conversation_id"
  where "conversation"."project_id" = ? and "conversation"."user_id" = ? and "conversation"."trashed_at" is null
  group by "folded"
  order by "folded";

-- listFolders
select *
  from "folder"
  where "project_id" = ? and "user_id" = ?
  order by "position", "id";

-- renameConversationTag
select "conversation"."id"
  from "conversation_tag"
  inner join "conversation" on "conversation"."id" = "conversation_tag"."conversation_id"
  where "conversation_tag"."folded" = ? and "conversation"."project_id" = ? and "conversation"."user_id" = ?
  order by "conversation"."id";
delete
  from "conversation_tag"
  where "conversation_id" = ? and "folded" = ?;
insert into "conversation_tag" ("conversation_id", "folded", "name")
  values (?, ?, ?)
  on conflict ("conversation_id", "folded") do update
  set "name" = ?;

-- updateFolder
select "project_id" as "projectId", "user_id" as "userId"
  from "folder"
  where "id" = ?;

-- updateFolder, on SQLite
select *
  from "folder"
  where "project_id" = ? and "user_id" = ?
  order by "id";

-- updateFolder, on PostgreSQL
select *
  from "folder"
  where "project_id" = ? and "user_id" = ?
  order by "id"
  for no key update;

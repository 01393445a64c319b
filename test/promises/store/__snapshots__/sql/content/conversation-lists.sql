-- listConversations
select *
  from "conversation"
  where "project_id" = ? and "trashed_at" is null and "temporary" = 0 and "archived_at" is not null and "pinned" = 1 and ("user_id" = ? or "visibility" = ?)
  order by "updated_at" desc, "id" desc
  limit ?;
select *
  from (select *
  from "conversation"
  where "project_id" = ? and "trashed_at" is null and "temporary" = 0 and "archived_at" is not null and "pinned" = 0 and "user_id" = ?
  order by "updated_at" desc, "id" desc
  limit ?) as "own"
  union select *
  from (select *
  from "conversation"
  where "project_id" = ? and "trashed_at" is null and "temporary" = 0 and "archived_at" is not null and "pinned" = 0 and "visibility" = 'project'
  order by "updated_at" desc, "id" desc
  limit ?) as "shared"
  order by "updated_at" desc, "id" desc
  limit ?;

-- listTrashedConversations
select *
  from "conversation"
  where "project_id" = ? and "user_id" = ? and "trashed_at" > ? and "temporary" = 0
  order by "trashed_at" desc, "id" desc
  limit ?;

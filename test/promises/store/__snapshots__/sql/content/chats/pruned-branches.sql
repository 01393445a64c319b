-- isLiving
select "id"
  from "message"
  where "id" = ? and "trashed_at" is null;

-- pruneBranch
select "id", "parent_id" as "parentId", "role", "state", "trashed_at" as "trashedAt"
  from "message"
  where "conversation_id" = ?
  order by "id";

-- pruneBranch, on SQLite
select *
  from "conversation"
  where "id" = ?;

-- pruneBranch, on PostgreSQL
select *
  from "conversation"
  where "id" = ?
  for no key update;

-- purgeMessages
delete
  from "message"
  where "id" in (select "id"
  from "message"
  where "trashed_at" < ?
  order by "trashed_at"
  limit ?);

-- restoreBranch
select "id", "parent_id" as "parentId", "role", "state", "trashed_at" as "trashedAt"
  from "message"
  where "conversation_id" = ?
  order by "id";

-- restoreBranch, on SQLite
select *
  from "conversation"
  where "id" = ?;

-- restoreBranch, on PostgreSQL
select *
  from "conversation"
  where "id" = ?
  for no key update;

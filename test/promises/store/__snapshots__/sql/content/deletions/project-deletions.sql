-- deleteProject
select "id", "state", "held_micros" as "heldMicros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "project_id" = ?
  order by "id" desc;

-- deleteProject, on SQLite
select *
  from "project"
  where "id" = ?;

-- deleteProject, on PostgreSQL
select *
  from "project"
  where "id" = ?
  for no key update;

-- describeOpen
select "id", "state", "held_micros" as "heldMicros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "project_id" = ?
  order by "id" desc;
select "id", "state", "held_micros" as "heldMicros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "user_id" = ?
  order by "id" desc;

-- describeProjectDeletion
select "name"
  from "project"
  where "id" = ?;
select coalesce(sum(micros), 0) as "micros"
  from "usage_month"
  where "project_id" = ?;
select count(*) as "n"
  from "conversation"
  where "project_id" = ?;
select count(*) as "n"
  from "message"
  inner join "conversation" on "conversation"."id" = "message"."conversation_id"
  where "conversation"."project_id" = ?;
select count(*) as "n"
  from "asset"
  where "project_id" = ? and "deleted_at" is null;
select sum("bytes") as "bytes"
  from "asset"
  where "project_id" = ? and "deleted_at" is null;
select count(*) as "n"
  from "collection"
  where "project_id" = ?;
select count(*) as "n"
  from "comparison"
  where "project_id" = ?;
select count(*) as "n"
  from "word_list"
  where "project_id" = ?;
select count(*) as "n"
  from "api_key"
  where "project_id" = ? and "revoked_at" is null;
select count(*) as "n"
  from "webhook_endpoint"
  where "project_id" = ?;
select count(*) as "n"
  from "connection"
  where "scope" = ? and "scope_id" = ?;
select count(*) as "n"
  from "budget"
  where "scope" = ? and "scope_id" = ?;
select count(*) as "n"
  from "project_member"
  where "project_id" = ?;
select count(*) as "n"
  from "run"
  where "project_id" = ?;
select count(*) as "runs"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "cost_micros" is null and "imported" is null and "finished_at" >= ? and "created_at" >= ? and "created_at" < ? and "project_id" = ?;
select "id", "state", "held_micros" as "heldMicros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "project_id" = ?
  order by "id" desc;

-- eraseProjectPart
select "id"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "project_id" = ?
  limit ?;

-- eraseProjectPart, on SQLite
select *
  from "deleted_project"
  where "project_id" = ? and "erased_at" is null and "due_at" <= ?;

-- eraseProjectPart, on PostgreSQL
select *
  from "deleted_project"
  where "project_id" = ? and "erased_at" is null and "due_at" <= ?
  for no key update;

-- listDeletedProjects
select "project"."id", "project"."name", "user"."name" as "deletedByName", "deleted_project"."deleted_at" as "deletedAt", "deleted_project"."due_at" as "dueAt"
  from "deleted_project"
  inner join "project" on "project"."id" = "deleted_project"."project_id"
  left join "user" on "user"."id" = "deleted_project"."deleted_by"
  where "deleted_project"."erased_at" is null and "deleted_project"."due_at" > ?
  order by "deleted_project"."deleted_at" desc, "project"."id" desc
  limit ?;

-- listDueProjects
select "project_id"
  from "deleted_project"
  where "erased_at" is null and "due_at" <= ?
  order by "due_at";

-- listOpen
select "id", "state", "held_micros" as "heldMicros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "project_id" = ?
  order by "id" desc;
select "id", "state", "held_micros" as "heldMicros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "user_id" = ?
  order by "id" desc;

-- listPeopleWithoutProject
select "id", "name"
  from "user"
  where "id" in (?, ?) and not exists (select "user_id"
  from "project_member"
  where "project_member"."user_id" = "user"."id");
select "id", "name"
  from "user"
  where "id" in (?) and not exists (select "user_id"
  from "project_member"
  where "project_member"."user_id" = "user"."id");

-- listPeopleWithoutProject, on SQLite
select "id"
  from "user"
  where "id" in (?, ?)
  order by "id";
select "id"
  from "user"
  where "id" in (?)
  order by "id";

-- listPeopleWithoutProject, on PostgreSQL
select "id"
  from "user"
  where "id" in (?, ?)
  order by "id"
  for no key update;
select "id"
  from "user"
  where "id" in (?)
  order by "id"
  for no key update;

-- requireSettled
select "id", "state", "held_micros" as "heldMicros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "project_id" = ?
  order by "id" desc;
select "id", "state", "held_micros" as "heldMicros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "user_id" = ?
  order by "id" desc;

-- restoreProject
delete
  from "deleted_project"
  where "project_id" = ? and "due_at" > ? and "erased_at" is null
  returning *;
update "project"
  set "archived_at" = ?
  where "id" = ?;

-- deletePerson
select *
  from "user"
  where "id" = ?;
select "user_id"
  from "deleted_person"
  where "user_id" = ?;

-- deletePerson, on SQLite
select "id"
  from "instance"
  where "id" = ?;

-- deletePerson, on PostgreSQL
select "id"
  from "instance"
  where "id" = ?
  for no key update;

-- describePersonDeletion
select "name", "email"
  from "user"
  where "id" = ?;
select coalesce(sum(micros), 0) as "micros"
  from "usage_month"
  where "user_id" = ?;
select "project"."id", "project"."name"
  from "project_member"
  inner join "project" on "project"."id" = "project_member"."project_id"
  where "project_member"."user_id" = ? and "project"."owner_id" = ?
  order by "project"."id";
select "user"."id", "user"."name"
  from "project_member"
  inner join "user" on "user"."id" = "project_member"."user_id"
  where "project_member"."project_id" = ? and "project_member"."user_id" != ?
  order by case "user".status when 'active' then 0 else 1 end, case project_member.role when 'manager' then 0 when 'editor' then 1 else 2 end, "project_member"."created_at", "user"."id"
  limit ?;
select count(*) as "n"
  from "conversation"
  where "user_id" = ? and "visibility" = ?;
select count(*) as "n"
  from "asset"
  where "created_by" = ? and "deleted_at" is null and "visibility" = ?;
select count(*) as "n"
  from "api_key"
  where "user_id" = ? and "revoked_at" is null;
select count(*) as "n"
  from "session"
  where "userId" = ?;
select count(*) as "n"
  from "connection"
  where "scope" = ? and "scope_id" = ?;
select count(*) as "n"
  from "comparison"
  where "user_id" = ? and "visibility" = ?;
select count(*) as "n"
  from "run"
  where "project_id" in (select "project"."id"
  from "project") and "user_id" = ? and "visibility" = ?;
select count(*) as "runs"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "cost_micros" is null and "imported" is null and "finished_at" >= ? and "created_at" >= ? and "created_at" < ? and "user_id" = ?;
select "id", "state", "held_micros" as "heldMicros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "user_id" = ?
  order by "id" desc;

-- isDeletedPerson
select "user_id"
  from "deleted_person"
  where "user_id" = ?;

-- getPlace
select "place"
  from "instance"
  where "id" = ?;

-- identifyPostgres

    select (select oid
  from pg_database
  where datname = current_database())::text as database, 'instance'::regclass::oid::text as instance;
select system_identifier::text as id
  from pg_control_system();

-- listActiveRuns
select "run".*, "connection"."kind" as "kind", "attempt"."provider_request_id" as "provider_request_id"
  from "run"
  inner join "connection" on "connection"."id" = "run"."connection_id"
  left join "attempt" on "attempt"."run_id" = "run"."id" and "attempt"."number" = "run"."attempts"
  where "run"."state" in ('submitting', 'submitted', 'running', 'storing')
  order by "run"."id";

-- listQueued
select "id", "waiting_for"
  from "run"
  where "state" = 'queued' and ("waiting_for" is null or "waiting_for" not in ('restore', 'copy', 'overtaken'))
  order by "id";

-- replaceEpoch
update "instance"
  set "epoch" = ?
  where "id" = ?;
delete
  from "worker";
update "webhook_out"
  set "status" = ?, "last_error" = ?
  where "status" = ?;
update "run_webhook"
  set "status" = ?, "last_error" = ?
  where "status" = ?;
update "webhook_endpoint"
  set "disabled_at" = ?, "disabled_why" = ?
  where "disabled_at" is null;

-- setPlace
update "instance"
  set "place" = ?
  where "id" = ?;

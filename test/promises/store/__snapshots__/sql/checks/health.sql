-- countWebhookTrouble
select count("failing_since") filter(where "disabled_at" is null) as "failing", count("disabled_at") as "paused"
  from "webhook_endpoint";

-- listFailingConnections
select "id", "name", "scope", "status_detail"
  from "connection"
  where "status" = ?
  order by "name", "id";

-- readWorkload
select "state", count(*) as "all", count("waiting_for") as "waiting", min(case when waiting_for is null then created_at end) as "oldest"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed')
  group by "state";
select "connection"."id"
  from "connection"
  where "connection"."status" != 'disabled' and exists (select "queued"."id"
  from "run" as "queued"
  where "queued"."connection_id" = "connection"."id" and "queued"."state" = 'queued') and not exists (select "active"."id"
  from "run" as "active"
  where "active"."connection_id" = "connection"."id" and "active"."state" in ('submitting', 'submitted', 'running', 'storing') and "active"."state" != 'storing' and "active"."placeless" = 0) and "connection"."id" not in (select "ended"."connection_id"
  from "run" as "ended"
  where "ended"."finished_at" > ? and "ended"."pruned_at" is null);

-- readWorkload, on SQLite
select min(
    case when run.not_before > run.created_at then run.not_before else run.created_at end) as "since"
  from "run"
  inner join "user" on "user"."id" = "run"."user_id"
  where "run"."connection_id" in (select value
  from json_each(?)) and "run"."state" = 'queued' and "run"."waiting_for" is null and 
    case when run.not_before > run.created_at then run.not_before else run.created_at end < ? and "user"."status" != 'suspended';

-- readWorkload, on PostgreSQL
select min(
    case when run.not_before > run.created_at then run.not_before else run.created_at end) as "since"
  from "run"
  inner join "user" on "user"."id" = "run"."user_id"
  where "run"."connection_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "run"."state" = 'queued' and "run"."waiting_for" is null and 
    case when run.not_before > run.created_at then run.not_before else run.created_at end < ? and "user"."status" != 'suspended';

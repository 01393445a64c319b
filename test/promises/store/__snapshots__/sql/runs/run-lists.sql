-- asSent
select "payload"
  from "run_event"
  where "run_id" = ? and "type" = ?
  order by "seq";

-- countWaitingRuns, on SQLite
select count(*) as "n"
  from "run"
  where "run"."state" = 'queued' and "run"."waiting_for" in ('manager', 'admin') and ("run"."waiting_for" = 'manager' and "run"."project_id" in (select value
  from json_each(?)));
select count(*) as "n"
  from "run"
  where "run"."state" = 'queued' and "run"."waiting_for" in ('manager', 'admin') and (("run"."waiting_for" = 'manager' and "run"."project_id" in (select value
  from json_each(?))) or "run"."waiting_for" = 'admin');

-- countWaitingRuns, on PostgreSQL
select count(*) as "n"
  from "run"
  where "run"."state" = 'queued' and "run"."waiting_for" in ('manager', 'admin') and ("run"."waiting_for" = 'manager' and "run"."project_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))));
select count(*) as "n"
  from "run"
  where "run"."state" = 'queued' and "run"."waiting_for" in ('manager', 'admin') and (("run"."waiting_for" = 'manager' and "run"."project_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))) or "run"."waiting_for" = 'admin');

-- findByIdempotencyKey
select *
  from "run"
  where "idempotency_scope" = ? and "idempotency_key" = ?;

-- getAnswers, on SQLite
select sum(octet_length("result")) as "bytes"
  from "run"
  where "id" in (select value
  from json_each(?)) and "user_id" = ? and "project_id" = ? and "task" = ? and "result" is not null;
select "id", "connection_id", "result"
  from "run"
  where "id" in (select value
  from json_each(?)) and "user_id" = ? and "project_id" = ? and "task" = ? and "result" is not null;

-- getAnswers, on PostgreSQL
select sum(octet_length("result")) as "bytes"
  from "run"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "user_id" = ? and "project_id" = ? and "task" = ? and "result" is not null;
select "id", "connection_id", "result"
  from "run"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "user_id" = ? and "project_id" = ? and "task" = ? and "result" is not null;

-- getPruning
select "pruned_at", "seq"
  from "run"
  where "id" = ?;

-- getRunsByIds, on SQLite
select *
  from "run"
  where "id" in (select value
  from json_each(?))
  order by "id";

-- getRunsByIds, on PostgreSQL
select *
  from "run"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  order by "id";

-- getRunsOfBatches, on SQLite
select *
  from "run"
  where "batch_id" in (select value
  from json_each(?))
  order by "id";

-- getRunsOfBatches, on PostgreSQL
select *
  from "run"
  where "batch_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  order by "id";

-- listByIdempotencyScope
select "id", "state", "created_at" as "createdAt", "finished_at" as "finishedAt", "idempotency_key" as "key"
  from "run"
  where "idempotency_scope" = ? and "idempotency_key" is not null and ("created_at" >= ? or "finished_at" >= ? or ("finished_at" is null and "state" <> 'unconfirmed') or "idempotency_key" in (?, ?))
  order by "id";
select "id", "state", "created_at" as "createdAt", "finished_at" as "finishedAt", "idempotency_key" as "key"
  from "run"
  where "idempotency_scope" = ? and "idempotency_key" is not null and ("created_at" >= ? or "finished_at" >= ? or ("finished_at" is null and "state" <> 'unconfirmed') or "idempotency_key" in (?))
  order by "id";

-- listJobLog
select "type", "payload"
  from "run_event"
  where "run_id" = ? and "type" in (?, ?)
  order by "seq";

-- listPassedOver
select "payload"
  from "run_event"
  where "run_id" = ? and "type" = ?
  order by "seq";

-- listRunEvents
select "seq", "type", "payload", "at"
  from "run_event"
  where "run_id" = ? and "seq" > ?
  order by "seq"
  limit ?;

-- listRuns
select *
  from "run"
  where "project_id" = ? and ("visibility" = ? or "user_id" = ?) and "state" = 'queued' and "waiting_for" is not null
  order by "id" desc
  limit ?;

-- listRunsOfMessage
select *
  from "run"
  where "message_id" = ? and "task" = ? and ("visibility" = ? or "user_id" = ?)
  order by "id" desc
  limit ?;

-- listWaitingForService
select "run".*, "connection"."status"
  from "run"
  inner join "connection" on "connection"."id" = "run"."connection_id"
  where "run"."state" = 'queued' and "run"."next_models" is not null and "run"."id" > ? and "run"."waiting_for" is null and ("connection"."status" in (?, ?) or exists (select "kind"
  from "circuit"
  where "circuit"."connection_id" = "run"."connection_id"))
  order by "run"."id"
  limit ?;
select *
  from "circuit";

-- listWaitingIds
select "id"
  from "run"
  where "project_id" = ? and "state" = 'queued' and "waiting_for" = ? and ("visibility" = ? or "user_id" = ?)
  order by "id"
  limit ?;

-- listWaitingRuns
select "run".*, "project"."name" as "project_name", "user"."name" as "person_name", "model"."name" as "model_name"
  from "run"
  inner join "project" on "project"."id" = "run"."project_id"
  inner join "user" on "user"."id" = "run"."user_id"
  left join "model" on "model"."connection_id" = "run"."connection_id" and "model"."model_id" = "run"."model_id"
  where "run"."state" = 'queued' and "run"."waiting_for" in ('manager', 'admin') and "run"."id" > ?
  order by "run"."id"
  limit ?;

-- listWaitingRuns, on SQLite
select "run".*, "project"."name" as "project_name", "user"."name" as "person_name", "model"."name" as "model_name"
  from "run"
  inner join "project" on "project"."id" = "run"."project_id"
  inner join "user" on "user"."id" = "run"."user_id"
  left join "model" on "model"."connection_id" = "run"."connection_id" and "model"."model_id" = "run"."model_id"
  where "run"."state" = 'queued' and "run"."waiting_for" in ('manager', 'admin') and ("run"."waiting_for" = 'manager' and "run"."project_id" in (select value
  from json_each(?))) and "run"."id" > ?
  order by "run"."id"
  limit ?;

-- listWaitingRuns, on PostgreSQL
select "run".*, "project"."name" as "project_name", "user"."name" as "person_name", "model"."name" as "model_name"
  from "run"
  inner join "project" on "project"."id" = "run"."project_id"
  inner join "user" on "user"."id" = "run"."user_id"
  left join "model" on "model"."connection_id" = "run"."connection_id" and "model"."model_id" = "run"."model_id"
  where "run"."state" = 'queued' and "run"."waiting_for" in ('manager', 'admin') and ("run"."waiting_for" = 'manager' and "run"."project_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))) and "run"."id" > ?
  order by "run"."id"
  limit ?;

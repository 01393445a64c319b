-- findStuck
select "id"
  from "worker";
select "id", "state", "worker_id"
  from "run"
  where "state" in ('submitting', 'submitted', 'running', 'storing')
  order by "id";
select "run"."id", "run"."state", "run_event"."payload"
  from "run"
  inner join "run_event" on "run_event"."run_id" = "run"."id" and "run_event"."seq" = "run"."seq"
  where "run"."state" in ('submitting', 'submitted', 'running', 'storing') and "run_event"."type" = 'warning';
select "run"."id", "run"."state"
  from "run"
  left join "connection" on "connection"."id" = "run"."connection_id"
  where "run"."state" = 'queued' and "connection"."id" is null;
select "run"."id", "run"."state"
  from "message"
  inner join "run" on "run"."id" = "message"."run_id"
  where "message"."state" = ? and "run"."finished_at" is not null;
select "run"."id", "run"."state", "attempt"."sent_at", "attempt"."accepted_at", (select max("run_event"."at") as "at"
  from "run_event"
  where "run_event"."run_id" = "run"."id" and "run_event"."type" = ?) as "storing_since", (select max("output"."expires_at") as "at"
  from "output"
  where "output"."run_id" = "run"."id") as "expires_at"
  from "run"
  inner join "attempt" on "attempt"."run_id" = "run"."id" and "attempt"."number" = "run"."attempts"
  where "run"."state" in ('submitting', 'submitted', 'running', 'storing') and "attempt"."sent_at" < ?
  order by "run"."id";

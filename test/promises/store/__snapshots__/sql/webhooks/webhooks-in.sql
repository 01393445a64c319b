-- isWebhookTaken
select "outcome"
  from "webhook_in"
  where "connection_id" = ? and "event_id" = ? and "outcome" != ?;

-- listRunsWaitingFor
select distinct "attempt"."run_id" as "runId"
  from "webhook_in"
  inner join "attempt" on "attempt"."provider_request_id" = "webhook_in"."event_id"
  where "webhook_in"."connection_id" = ? and "webhook_in"."outcome" = 'waits'
  order by "runId" desc
  limit ?;

-- listWaiting
select "webhook_in"."event_id" as "id", "webhook_in"."connection_id" as "connectionId", "attempt"."run_id" as "runId", "attempt"."number" as "attempt", "webhook_in"."received_at" as "receivedAt"
  from "webhook_in"
  inner join "attempt" on "attempt"."provider_request_id" = "webhook_in"."event_id"
  inner join "run" on "run"."id" = "attempt"."run_id"
  where "webhook_in"."outcome" = 'waits' and "webhook_in"."event_id" > ? and "run"."finished_at" is not null
  order by "webhook_in"."event_id"
  limit ?;

-- pruneWebhooks
delete
  from "webhook_in"
  where ("connection_id", "event_id") in (select "connection_id", "event_id"
  from "webhook_in"
  where "received_at" < ?
  order by "received_at"
  limit ?);

-- recordWebhook
insert into "webhook_in" ("connection_id", "event_id", "received_at", "outcome")
  values (?, ?, ?, ?)
  on conflict ("connection_id", "event_id") do update
  set "outcome" = ?
  where "webhook_in"."outcome" = ?;

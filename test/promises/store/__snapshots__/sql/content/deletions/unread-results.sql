-- noteUnreadResults
select distinct "attempt"."run_id" as "runId"
  from "webhook_in"
  inner join "attempt" on "attempt"."provider_request_id" = "webhook_in"."event_id"
  where "webhook_in"."connection_id" = ? and "webhook_in"."outcome" = 'waits'
  order by "runId" desc
  limit ?;
update "run"
  set "warnings" = ?, "seq" = ?
  where "id" = ?;
insert into "run_event" ("run_id", "seq", "type", "payload", "at")
  values (?, ?, ?, ?, ?);

-- noteUnreadResults, on SQLite
select "id"
  from "connection"
  where "id" = ?;
select *
  from "run"
  where "id" = ?;

-- noteUnreadResults, on PostgreSQL
select "id"
  from "connection"
  where "id" = ?
  for no key update;
select *
  from "run"
  where "id" = ?
  for no key update;

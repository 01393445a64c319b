-- findRunOfJob
select "run"."id"
  from "attempt"
  inner join "run" on "run"."id" = "attempt"."run_id"
  where "attempt"."provider_request_id" = ? and "run"."connection_id" = ?;

-- hasOwnErrorSince
select "message"."id"
  from "message"
  inner join "run" on "run"."id" = "message"."run_id"
  inner join "attempt" on "attempt"."run_id" = "run"."id"
  where "message"."conversation_id" = ? and "message"."id" > ? and "run"."connection_id" = ? and "attempt"."state" = ? and "attempt"."http_status" >= ? and "attempt"."http_status" not in (?, ?)
  limit ?;

-- insertAttempt
insert into "attempt" ("run_id", "number", "request_hash", "client_token", "provider_request_id", "provider_urls", "state", "bytes_written", "http_status", "sent_at", "accepted_at", "ended_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- lastAttempt
select *
  from "attempt"
  where "run_id" = ?
  order by "number" desc
  limit ?;

-- listAttempts
select *
  from "attempt"
  where "run_id" = ?
  order by "number";

-- updateAttempt
update "attempt"
  set "run_id" = ?, "number" = ?, "request_hash" = ?, "client_token" = ?, "provider_request_id" = ?, "provider_urls" = ?, "state" = ?, "bytes_written" = ?, "http_status" = ?, "sent_at" = ?, "accepted_at" = ?, "ended_at" = ?
  where "run_id" = ? and "number" = ?;
update "attempt"
  set 
  where "run_id" = ? and "number" = ?;

-- claimCalls
update "run_webhook"
  set "next_at" = ?, "attempts" = ?
  where "run_id" = ?;

-- claimCalls, on SQLite
select "run_webhook".*
  from "run_webhook"
  inner join "run" on "run"."id" = "run_webhook"."run_id"
  where ("run_webhook"."status" = 'waiting' and ("run_webhook"."next_at" <= ? or ("run_webhook"."next_at" > ? and "run_webhook"."next_at" < ?)) and ("run"."finished_at" is not null or ("run"."state" = 'unconfirmed' and "run_webhook"."told" is null))) and "run_webhook"."user_id" = ? and "run_webhook"."origin" = ?
  order by "run_webhook"."next_at"
  limit ?;

-- claimCalls, on PostgreSQL
select "run_webhook".*
  from "run_webhook"
  inner join "run" on "run"."id" = "run_webhook"."run_id"
  where ("run_webhook"."status" = 'waiting' and ("run_webhook"."next_at" <= ? or ("run_webhook"."next_at" > ? and "run_webhook"."next_at" < ?)) and ("run"."finished_at" is not null or ("run"."state" = 'unconfirmed' and "run_webhook"."told" is null))) and "run_webhook"."user_id" = ? and "run_webhook"."origin" = ?
  order by "run_webhook"."next_at"
  limit ?
  for no key update of "run_webhook";

-- countWaitingCalls
select "run_id"
  from "run_webhook"
  where "user_id" = ? and "status" = 'waiting'
  limit ?;

-- getRunCall
select "origin", "status", "attempts", "next_at" as "nextAt", "tried_at" as "triedAt", "http_status" as "httpStatus", "last_error" as "lastError"
  from "run_webhook"
  where "run_id" = ?;

-- lanesWithDue

    with recursive lane (user_id, origin) as (
      select '', ''
     
  union all
      select (
    select "user_id"
  from run_webhook
   
  where status = 'waiting' and (user_id, origin) > (lane.user_id, lane.origin)
   
  order by user_id, origin
  limit 1), (
    select "origin"
  from run_webhook
   
  where status = 'waiting' and (user_id, origin) > (lane.user_id, lane.origin)
   
  order by user_id, origin
  limit 1)
  from lane
  where lane.user_id is not null)
    select user_id as "userId", origin
  from lane
   
  where user_id <> '' and ((
    select next_at
  from run_webhook
   
  where status = 'waiting' and user_id = lane.user_id and origin = lane.origin and next_at > ?
   
  order by next_at
  limit 1) <= ? or (
    select next_at
  from run_webhook
   
  where status = 'waiting' and user_id = lane.user_id and origin = lane.origin and next_at > ?
   
  order by next_at
  limit 1) < ?);

-- pruneCalls
delete
  from "run_webhook"
  where "run_id" in (select "run_id"
  from "run_webhook"
  where "created_at" < ?
  order by "created_at"
  limit ?);

-- recordCall
update "run_webhook"
  set "status" = ?, "next_at" = ?, "last_error" = ?, "http_status" = ?, "tried_at" = ?
  where "run_id" = ?;
update "run_webhook"
  set "status" = ?, "next_at" = ?, "last_error" = ?, "http_status" = ?, "tried_at" = ?, "told" = ?, "attempts" = ?
  where "run_id" = ?;

-- recordCall, on SQLite
select "finished_at"
  from "run"
  where "id" = ?;

-- recordCall, on PostgreSQL
select "finished_at"
  from "run"
  where "id" = ?
  for no key update;

-- releaseCallsOf, on SQLite
update "run_webhook"
  set "next_at" = ?
  where "run_id" in (select value
  from json_each(?)) and "status" = 'waiting' and ("next_at" = ? or "next_at" <= ?);

-- releaseCallsOf, on PostgreSQL
update "run_webhook"
  set "next_at" = ?
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "status" = 'waiting' and ("next_at" = ? or "next_at" <= ?);

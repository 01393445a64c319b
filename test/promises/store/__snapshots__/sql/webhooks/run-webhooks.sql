-- claimCalls
update "run_webhook"
  set "next_at" = ?, "attempts" = ?
  where "run_id" = ?;

-- claimCalls, on SQLite
select "run_webhook".*
  from "run_webhook"
  inner join "run" on "run"."id" = "run_webhook"."run_id"
  where ("run_webhook"."status" = 'waiting' and ("run_webhook"."next_at" <= ? or "run_webhook"."next_at" > ?) and ("run"."finished_at" is not null or ("run"."state" = 'unconfirmed' and "run_webhook"."told" is null))) and "run_webhook"."user_id" = ? and "run_webhook"."origin" = ?
  order by "run_webhook"."next_at"
  limit ?;

-- claimCalls, on PostgreSQL
select "run_webhook".*
  from "run_webhook"
  inner join "run" on "run"."id" = "run_webhook"."run_id"
  where ("run_webhook"."status" = 'waiting' and ("run_webhook"."next_at" <= ? or "run_webhook"."next_at" > ?) and ("run"."finished_at" is not null or ("run"."state" = 'unconfirmed' and "run_webhook"."told" is null))) and "run_webhook"."user_id" = ? and "run_webhook"."origin" = ?
  order by "run_webhook"."next_at"
  limit ?
  for no key update of "run_webhook";

-- countCallsOf, on SQLite
select "run_id"
  from "run_webhook"
  where "run_id" in (select value
  from json_each(?)) and "status" = 'waiting';

-- countCallsOf, on PostgreSQL
select "run_id"
  from "run_webhook"
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "status" = 'waiting';

-- countWaitingCalls
select "run_id"
  from "run_webhook"
  where "user_id" = ? and "status" = 'waiting'
  limit ?;

-- isAnyCallWaiting
select "run_id"
  from "run_webhook"
  where "status" = 'waiting'
  limit ?;

-- lanesWithDue
select distinct "run_webhook"."user_id" as "userId", "run_webhook"."origin" as "origin"
  from "run_webhook"
  inner join "run" on "run"."id" = "run_webhook"."run_id"
  where ("run_webhook"."status" = 'waiting' and ("run_webhook"."next_at" <= ? or "run_webhook"."next_at" > ?) and ("run"."finished_at" is not null or ("run"."state" = 'unconfirmed' and "run_webhook"."told" is null)));

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

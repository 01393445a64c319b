-- findRunsOfRequests
select "run"."id"
  from "attempt"
  inner join "run" on "run"."id" = "attempt"."run_id"
  where "attempt"."provider_request_id" in (?, ?) and ("run"."connection_id" = ? or exists (select "ledger_entry"."id"
  from "ledger_entry"
  where "ledger_entry"."run_id" = "run"."id" and "ledger_entry"."connection_id" = ? and "kind" not in (?, ?)));
select "id", "model_id", "state", "project_id", "user_id", "visibility", "created_at"
  from "run"
  where "id" in (?);
select "run_id", min("model_id") as "model_id", sum("micros") as "micros", min("at") as "at"
  from "ledger_entry"
  where "run_id" in (?) and "connection_id" = ? and "kind" not in (?, ?)
  group by "run_id";
select "run_id", "provider_request_id"
  from "attempt"
  where "run_id" in (?) and "provider_request_id" is not null;
select "run"."id"
  from "attempt"
  inner join "run" on "run"."id" = "attempt"."run_id"
  where "attempt"."provider_request_id" in (?) and ("run"."connection_id" = ? or exists (select "ledger_entry"."id"
  from "ledger_entry"
  where "ledger_entry"."run_id" = "run"."id" and "ledger_entry"."connection_id" = ? and "kind" not in (?, ?)));

-- getBookedRuns
select "id", "model_id", "state", "project_id", "user_id", "visibility", "created_at"
  from "run"
  where "id" in (?);
select "run_id", min("model_id") as "model_id", sum("micros") as "micros", min("at") as "at"
  from "ledger_entry"
  where "run_id" in (?) and "connection_id" = ? and "kind" not in (?, ?)
  group by "run_id";
select "run_id", "provider_request_id"
  from "attempt"
  where "run_id" in (?) and "provider_request_id" is not null;

-- listBookedCosts
select "connection_id", min("model_id") as "model_id", sum("micros") as "micros"
  from "ledger_entry"
  where "run_id" = ? and "kind" not in (?, ?)
  group by "connection_id";

-- listModelDays
select "day", "model_id", sum("micros") as "micros"
  from "usage_day"
  where "day" >= ? and "day" <= ? and "connection_id" = ?
  group by "day", "model_id";

-- listUnknownRuns
select "run"."id", "run"."model_id", "run"."created_at", "attempt"."sent_at", "attempt"."provider_request_id"
  from "run"
  left join "attempt" on "attempt"."run_id" = "run"."id" and "attempt"."number" = "run"."attempts"
  where "run"."state" = 'unconfirmed' and "run"."connection_id" = ? and "attempt"."provider_request_id" is null
  order by "run"."id";

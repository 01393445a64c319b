-- addWarning
update "run"
  set "warnings" = ?
  where "id" = ?;

-- addWarning, on SQLite
select "warnings"
  from "run"
  where "id" = ?;

-- addWarning, on PostgreSQL
select "warnings"
  from "run"
  where "id" = ?
  for no key update;

-- findUnwarnedOverages
select "run"."id", "run"."state", "run"."warnings", "over"."micros" as "over", "spend"."micros" as "spent"
  from "ledger_entry" as "over"
  inner join "run" on "run"."id" = "over"."run_id"
  inner join "ledger_entry" as "spend" on "spend"."run_id" = "run"."id" and "spend"."kind" = ?
  where "over"."kind" = ?
  order by "run"."id";

-- addUsage
insert into "usage_day" ("project_id", "user_id", "connection_id", "model_id", "runs", "tokens", "micros", "day")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("day", "project_id", "user_id", "connection_id", "model_id") do update
  set "runs" = "usage_day"."runs" + ?, "tokens" = "usage_day"."tokens" + ?, "micros" = "usage_day"."micros" + ?;
insert into "usage_month" ("project_id", "user_id", "connection_id", "model_id", "runs", "tokens", "micros", "month")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("month", "project_id", "user_id", "connection_id", "model_id") do update
  set "runs" = "usage_month"."runs" + ?, "tokens" = "usage_month"."tokens" + ?, "micros" = "usage_month"."micros" + ?;
insert into "usage_key_day" ("api_key_id", "project_id", "runs", "tokens", "micros", "day")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("day", "api_key_id") do update
  set "runs" = "usage_key_day"."runs" + ?, "tokens" = "usage_key_day"."tokens" + ?, "micros" = "usage_key_day"."micros" + ?;
insert into "usage_key_month" ("api_key_id", "project_id", "runs", "tokens", "micros", "month")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("month", "api_key_id") do update
  set "runs" = "usage_key_month"."runs" + ?, "tokens" = "usage_key_month"."tokens" + ?, "micros" = "usage_key_month"."micros" + ?;

-- recountKeyMonth
select sum("runs") as "runs", sum("tokens") as "tokens", sum("micros") as "micros"
  from "usage_key_day"
  where substr(day, 1, 7) = ? and "api_key_id" = ?;
insert into "usage_key_month" ("month", "api_key_id", "project_id", "runs", "tokens", "micros")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("month", "api_key_id") do update
  set "runs" = ?, "tokens" = ?, "micros" = ?;

-- recountKeyUsage
select sum("micros") as "micros", count("settlement") as "runs"
  from "ledger_entry"
  where "kind" not in (?, ?) and "at" >= ? and "at" < ? and "api_key_id" = ?;
insert into "usage_key_day" ("day", "api_key_id", "project_id", "runs", "tokens", "micros")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("day", "api_key_id") do update
  set "micros" = ?;
select sum("runs") as "runs", sum("tokens") as "tokens", sum("micros") as "micros"
  from "usage_key_day"
  where substr(day, 1, 7) = ? and "api_key_id" = ?;
insert into "usage_key_month" ("month", "api_key_id", "project_id", "runs", "tokens", "micros")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("month", "api_key_id") do update
  set "runs" = ?, "tokens" = ?, "micros" = ?;

-- recountKeyUsage, on PostgreSQL
select pg_advisory_xact_lock(7301) as "locked";

-- recountMonth
select sum("runs") as "runs", sum("tokens") as "tokens", sum("micros") as "micros"
  from "usage_day"
  where substr(day, 1, 7) = ? and "project_id" = ? and "user_id" = ? and "connection_id" = ? and "model_id" = ?;
insert into "usage_month" ("month", "project_id", "user_id", "connection_id", "model_id", "runs", "tokens", "micros")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("month", "project_id", "user_id", "connection_id", "model_id") do update
  set "runs" = ?, "tokens" = ?, "micros" = ?;

-- recountUsage
select sum("micros") as "micros", count("settlement") as "runs"
  from "ledger_entry"
  where "kind" not in (?, ?) and "at" >= ? and "at" < ? and "project_id" = ? and "user_id" = ? and "connection_id" = ? and "model_id" = ?;
insert into "usage_day" ("project_id", "user_id", "connection_id", "model_id", "day", "runs", "tokens", "micros")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("day", "project_id", "user_id", "connection_id", "model_id") do update
  set "micros" = ?;
select sum("runs") as "runs", sum("tokens") as "tokens", sum("micros") as "micros"
  from "usage_day"
  where substr(day, 1, 7) = ? and "project_id" = ? and "user_id" = ? and "connection_id" = ? and "model_id" = ?;
insert into "usage_month" ("month", "project_id", "user_id", "connection_id", "model_id", "runs", "tokens", "micros")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("month", "project_id", "user_id", "connection_id", "model_id") do update
  set "runs" = ?, "tokens" = ?, "micros" = ?;

-- recountUsage, on PostgreSQL
select pg_advisory_xact_lock(7301) as "locked";

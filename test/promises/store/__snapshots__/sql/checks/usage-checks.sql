-- findWrongKeyMonths
select substr(day, 1, 7) as "month", "api_key_id", "project_id", sum(micros) as "micros"
  from "usage_key_day"
  group by substr(day, 1, 7), "api_key_id", "project_id";
select "month", "api_key_id", "project_id", "micros"
  from "usage_key_month";

-- findWrongKeyUsage
select at / 86400000 as "day", sum(micros) as "micros", "api_key_id", "project_id"
  from "ledger_entry"
  where "kind" not in (?, ?) and "api_key_id" is not null
  group by at / 86400000, "api_key_id", "project_id";
select "day", "api_key_id", "project_id", "micros"
  from "usage_key_day";

-- findWrongMonths
select substr(day, 1, 7) as "month", "project_id", "user_id", "connection_id", "model_id", sum(micros) as "micros"
  from "usage_day"
  group by substr(day, 1, 7), "project_id", "user_id", "connection_id", "model_id";
select "month", "project_id", "user_id", "connection_id", "model_id", "micros"
  from "usage_month";

-- findWrongUsage
select at / 86400000 as "day", sum(micros) as "micros", "project_id", "user_id", "connection_id", "model_id"
  from "ledger_entry"
  where "kind" not in (?, ?)
  group by at / 86400000, "project_id", "user_id", "connection_id", "model_id";
select "day", "project_id", "user_id", "connection_id", "model_id", "micros"
  from "usage_day";

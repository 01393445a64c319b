-- readUsage
select "step", sum("micros") as "micros", sum("runs") as "runs", sum("tokens") as "tokens"
  from (select day as "step", "project_id", "user_id", "connection_id", "model_id", "micros", "runs", "tokens"
  from "usage_day"
  where "day" >= ? and "day" <= ?) as "used"
  group by "step"
  order by "step";
select "project_id", "user_id", "connection_id", "model_id", sum("micros") as "micros", sum("runs") as "runs", sum("tokens") as "tokens"
  from (select day as "step", "project_id", "user_id", "connection_id", "model_id", "micros", "runs", "tokens"
  from "usage_day"
  where "day" >= ? and "day" <= ?) as "used"
  group by "project_id", "user_id", "connection_id", "model_id";
select "used"."api_key_id" as "id", "api_key"."name", "api_key"."user_id", sum("used"."micros") as "micros", sum("used"."runs") as "runs", sum("used"."tokens") as "tokens"
  from (select "api_key_id", "micros", "runs", "tokens"
  from "usage_key_day"
  where "day" >= ? and "day" <= ?) as "used"
  left join "api_key" on "api_key"."id" = "used"."api_key_id"
  group by "used"."api_key_id", "api_key"."name", "api_key"."user_id";
select "state", case when held_micros = 0 then coalesce(price_snapshot, '[]') end as "prices", count(*) as "runs", sum("held_micros") as "micros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed')
  group by "state", case when held_micros = 0 then coalesce(price_snapshot, '[]') end;
select finished_at / 86400000 as "day", "project_id", "user_id", "connection_id", "model_id", "api_key_id", sum(case when cost_micros is null then 1 else 0 end) as "unpricedRuns", sum(case when cost_basis = 'assumed' then 1 else 0 end) as "assumedRuns"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "imported" is null and "finished_at" >= ? and "finished_at" < ?
  group by finished_at / 86400000, "project_id", "user_id", "connection_id", "model_id", "api_key_id";
select "id"
  from "connection"
  where ("scope" != ? or "scope_id" = ?);
select "step", sum("micros") as "micros", sum("runs") as "runs", sum("tokens") as "tokens"
  from (select day as "step", "project_id", "user_id", "connection_id", "model_id", "micros", "runs", "tokens"
  from "usage_day"
  where "day" >= ? and "day" <= ? and "project_id" in (?)) as "used"
  group by "step"
  order by "step";
select "project_id", "user_id", "connection_id", "model_id", sum("micros") as "micros", sum("runs") as "runs", sum("tokens") as "tokens"
  from (select day as "step", "project_id", "user_id", "connection_id", "model_id", "micros", "runs", "tokens"
  from "usage_day"
  where "day" >= ? and "day" <= ? and "project_id" in (?)) as "used"
  group by "project_id", "user_id", "connection_id", "model_id";
select "used"."api_key_id" as "id", "api_key"."name", "api_key"."user_id", sum("used"."micros") as "micros", sum("used"."runs") as "runs", sum("used"."tokens") as "tokens"
  from (select "api_key_id", "micros", "runs", "tokens"
  from "usage_key_day"
  where "day" >= ? and "day" <= ? and "project_id" in (?)) as "used"
  left join "api_key" on "api_key"."id" = "used"."api_key_id"
  group by "used"."api_key_id", "api_key"."name", "api_key"."user_id";
select "state", case when held_micros = 0 then coalesce(price_snapshot, '[]') end as "prices", count(*) as "runs", sum("held_micros") as "micros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "project_id" in (?)
  group by "state", case when held_micros = 0 then coalesce(price_snapshot, '[]') end;
select finished_at / 86400000 as "day", "project_id", "user_id", "connection_id", "model_id", "api_key_id", sum(case when cost_micros is null then 1 else 0 end) as "unpricedRuns", sum(case when cost_basis = 'assumed' then 1 else 0 end) as "assumedRuns"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "imported" is null and "finished_at" >= ? and "finished_at" < ? and "project_id" in (?)
  group by finished_at / 86400000, "project_id", "user_id", "connection_id", "model_id", "api_key_id";

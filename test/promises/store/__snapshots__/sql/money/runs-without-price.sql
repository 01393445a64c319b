-- countUnpricedIn
select count(*) as "runs"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "cost_micros" is null and "imported" is null and "finished_at" >= ? and "created_at" >= ? and "created_at" < ? and "api_key_id" = ?;
select count(*) as "runs"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "cost_micros" is null and "imported" is null and "finished_at" >= ? and "created_at" >= ? and "created_at" < ? and "user_id" = ?;

-- countUnpricedOfKeys
select "api_key_id", count(*) as "runs"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "cost_micros" is null and "imported" is null and "api_key_id" in (?, ?)
  group by "api_key_id";
select "api_key_id", count(*) as "runs"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "cost_micros" is null and "imported" is null and "api_key_id" in (?)
  group by "api_key_id";

-- countWithoutPrice
select finished_at / 86400000 as "day", "project_id", "user_id", "connection_id", "model_id", "api_key_id", sum(case when cost_micros is null then 1 else 0 end) as "unpricedRuns", sum(case when cost_basis = 'assumed' then 1 else 0 end) as "assumedRuns"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "imported" is null and "finished_at" >= ? and "finished_at" < ?
  group by finished_at / 86400000, "project_id", "user_id", "connection_id", "model_id", "api_key_id";
select finished_at / 86400000 as "day", "project_id", "user_id", "connection_id", "model_id", "api_key_id", sum(case when cost_micros is null then 1 else 0 end) as "unpricedRuns", sum(case when cost_basis = 'assumed' then 1 else 0 end) as "assumedRuns"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "imported" is null and "finished_at" >= ? and "finished_at" < ? and "project_id" in (?)
  group by finished_at / 86400000, "project_id", "user_id", "connection_id", "model_id", "api_key_id";

-- listLedgerEntries
select "ledger_entry".*, "run"."visibility" as "visibility"
  from "ledger_entry"
  left join "run" on "run"."id" = "ledger_entry"."run_id"
  where "ledger_entry"."at" >= ? and "ledger_entry"."at" < ? and ("ledger_entry"."at" > ? or "ledger_entry"."id" > ?)
  order by "ledger_entry"."at", "ledger_entry"."id"
  limit ?;
select "id", "name"
  from "project"
  where "id" in (?);
select "id", "name"
  from "user"
  where "id" in (?);
select "id", "name"
  from "connection"
  where "id" in (?);
select "id", "name"
  from "api_key"
  where "id" in (?);
select "project_id"
  from "deleted_project"
  where "project_id" in (?);
select "id"
  from "connection"
  where ("scope" != ? or "scope_id" = ?);
select "ledger_entry".*, "run"."visibility" as "visibility"
  from "ledger_entry"
  left join "run" on "run"."id" = "ledger_entry"."run_id"
  where "ledger_entry"."at" >= ? and "ledger_entry"."at" < ? and "ledger_entry"."project_id" in (?)
  order by "ledger_entry"."at", "ledger_entry"."id"
  limit ?;

-- listWithoutPrice
select finished_at / 86400000 as "day", "project_id", "user_id", "connection_id", "model_id", "api_key_id", sum(case when cost_micros is null then 1 else 0 end) as "unpricedRuns", sum(case when cost_basis = 'assumed' then 1 else 0 end) as "assumedRuns"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "imported" is null and "finished_at" >= ? and "finished_at" < ?
  group by finished_at / 86400000, "project_id", "user_id", "connection_id", "model_id", "api_key_id";
select "id"
  from "connection"
  where ("scope" != ? or "scope_id" = ?);
select finished_at / 86400000 as "day", "project_id", "user_id", "connection_id", "model_id", "api_key_id", sum(case when cost_micros is null then 1 else 0 end) as "unpricedRuns", sum(case when cost_basis = 'assumed' then 1 else 0 end) as "assumedRuns"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "imported" is null and "finished_at" >= ? and "finished_at" < ? and "project_id" in (?)
  group by finished_at / 86400000, "project_id", "user_id", "connection_id", "model_id", "api_key_id";

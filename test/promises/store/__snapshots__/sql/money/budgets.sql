-- approvalNeeded
select *
  from "budget"
  where ("scope" = 'instance' or ("scope" = 'project' and coalesce(scope_id, '') = ?) or ("scope" = 'user' and coalesce(scope_id, '') = ?) or ("scope" = 'api_key' and coalesce(scope_id, '') = ?))
  order by "id";

-- approvalNeeded, on PostgreSQL
select pg_advisory_xact_lock_shared(7301) as "locked";

-- balanceFromLedger
select "kind", sum("micros") as "micros"
  from "ledger_entry"
  where "admitted_at" >= ? and "admitted_at" < ? and "api_key_id" = ?
  group by "kind";
select "kind", sum("micros") as "micros"
  from "ledger_entry"
  where "admitted_at" >= ? and "admitted_at" < ? and "user_id" = ?
  group by "kind";

-- findWrongBalances
select "budget".*, "period_start", "spent_micros", "held_micros"
  from "balance"
  inner join "budget" on "budget"."id" = "balance"."budget_id";
select "kind", sum("micros") as "micros"
  from "ledger_entry"
  where "admitted_at" >= ? and "admitted_at" < ? and "user_id" = ?
  group by "kind";

-- giveDefaultBudgets
select *
  from "budget"
  where ("scope" = 'project' and coalesce(scope_id, '') = ?);
insert into "budget" ("id", "scope_id", "created_at")
  values (?, ?, ?);
select *
  from "budget"
  where ("scope" = 'user' and coalesce(scope_id, '') = ?);

-- holdInBudgets
select *
  from "budget"
  where ("scope" = 'instance' or ("scope" = 'project' and coalesce(scope_id, '') = ?) or ("scope" = 'user' and coalesce(scope_id, '') = ?) or ("scope" = 'api_key' and coalesce(scope_id, '') = ?))
  order by "id";
update "balance"
  set "held_micros" = "held_micros" + ?, "spent_micros" = "spent_micros" + ?
  where "budget_id" = ? and "period_start" = ? and "spent_micros" + "held_micros" + ? <= ?;

-- holdInBudgets, on PostgreSQL
select pg_advisory_xact_lock_shared(7301) as "locked";

-- listBudgets
select *
  from "budget"
  where (("scope" = 'project' and coalesce(scope_id, '') in (?, ?)) or ("scope" = 'user' and coalesce(scope_id, '') in (?, ?)) or ("scope" = 'api_key' and coalesce(scope_id, '') in (?, ?)))
  order by "scope", "scope_id", "id";
select *
  from "budget"
  where 1 = 0
  order by "scope", "scope_id", "id";

-- putBudget
delete
  from "budget"
  where ("scope" = 'api_key' and coalesce(scope_id, '') = ?) and "period" = ? and "authority" = ?;
insert into "budget" ("id", "scope", "scope_id", "period", "time_zone", "limit_micros", "on_limit", "authority", "created_by", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
delete
  from "budget"
  where ("scope" = 'user' and coalesce(scope_id, '') = ?) and "period" = ? and "authority" = ?;

-- putBudget, on PostgreSQL
select pg_advisory_xact_lock(7301) as "locked";

-- recountBalance
select "kind", sum("micros") as "micros"
  from "ledger_entry"
  where "admitted_at" >= ? and "admitted_at" < ? and "user_id" = ?
  group by "kind";
update "balance"
  set "spent_micros" = ?, "held_micros" = ?
  where "budget_id" = ? and "period_start" = ?;

-- recountBalance, on PostgreSQL
select pg_advisory_xact_lock(7301) as "locked";

-- removeBudget
delete
  from "budget"
  where ("scope" = 'api_key' and coalesce(scope_id, '') = ?) and "period" = ? and "authority" = ?;
delete
  from "budget"
  where ("scope" = 'user' and coalesce(scope_id, '') = ?) and "period" = ? and "authority" = ?;

-- removeBudget, on PostgreSQL
select pg_advisory_xact_lock(7301) as "locked";

-- settleInBudgets
select *
  from "budget"
  where ("scope" = 'instance' or ("scope" = 'project' and coalesce(scope_id, '') = ?) or ("scope" = 'user' and coalesce(scope_id, '') = ?) or ("scope" = 'api_key' and coalesce(scope_id, '') = ?))
  order by "id";
update "balance"
  set "held_micros" = "held_micros" + ?, "spent_micros" = "spent_micros" + ?
  where "budget_id" = ? and "period_start" = ?
  returning "spent_micros", "warned_percent";
update "balance"
  set "warned_percent" = ?
  where "budget_id" = ? and "period_start" = ?;
select count(*) as "runs"
  from "run"
  where finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "cost_micros" is null and "imported" is null and "finished_at" >= ? and "created_at" >= ? and "created_at" < ? and "user_id" = ?;

-- settleInBudgets, on PostgreSQL
select pg_advisory_xact_lock_shared(7301) as "locked";

-- tightestBudget
select *
  from "budget"
  where ("scope" = 'instance' or ("scope" = 'project' and coalesce(scope_id, '') = ?) or ("scope" = 'user' and coalesce(scope_id, '') = ?) or ("scope" = 'api_key' and coalesce(scope_id, '') = ?))
  order by "id";

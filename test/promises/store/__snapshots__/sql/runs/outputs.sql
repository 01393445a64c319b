-- addPromises
select *
  from "output"
  where "run_id" = ?
  order by "index";
insert into "output" ("run_id", "index", "remote_url", "expires_at", "state", "bytes", "sha256", "asset_id", "name", "facts", "input")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- addPromises, on SQLite
select *
  from "run"
  where "id" = ?;

-- addPromises, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;

-- claimOutput
update "output"
  set "state" = ?, "sha256" = ?, "bytes" = ?, "asset_id" = ?
  where "run_id" = ? and "index" = ? and "state" in (?, ?);

-- forgetPromises
delete
  from "output"
  where "run_id" = ? and "state" = ?;

-- inputsOfOutputs
select "asset"."id", "output"."input"
  from "asset"
  inner join "output" on "output"."run_id" = "asset"."run_id" and "output"."index" = "asset"."output_index"
  where "asset"."id" in (?, ?) and "output"."input" is not null;
select "asset"."id", "output"."input"
  from "asset"
  inner join "output" on "output"."run_id" = "asset"."run_id" and "output"."index" = "asset"."output_index"
  where "asset"."id" in (?) and "output"."input" is not null;

-- insertOutput
select max("index") as "last"
  from "output"
  where "run_id" = ?;
insert into "output" ("run_id", "index", "remote_url", "expires_at", "state", "bytes", "sha256", "asset_id", "name", "facts", "input")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- listOutputs
select *
  from "output"
  where "run_id" = ?
  order by "index";

-- promiseOutputs
select *
  from "output"
  where "run_id" = ?
  order by "index";
insert into "output" ("run_id", "index", "remote_url", "expires_at", "state", "bytes", "sha256", "asset_id", "name", "facts", "input")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- promiseOutputs, on SQLite
select *
  from "run"
  where "id" = ?;

-- promiseOutputs, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;

-- updateOutput
update "output"
  set "run_id" = ?, "index" = ?, "remote_url" = ?, "expires_at" = ?, "state" = ?, "bytes" = ?, "sha256" = ?, "asset_id" = ?, "name" = ?, "facts" = ?, "input" = ?
  where "run_id" = ? and "index" = ?;
update "output"
  set 
  where "run_id" = ? and "index" = ?;

-- isWaitedFor
select "id"
  from "run"
  where "connection_id" = ? and "state" = 'queued' and "waiting_for" is null
  limit ?;

-- listAllCircuits
select *
  from "circuit";

-- listCircuits
select *
  from "circuit"
  where "connection_id" = ?;

-- lockCircuits
select *
  from "circuit"
  where "connection_id" = ?;

-- lockCircuits, on SQLite
select "status"
  from "connection"
  where "id" = ?;

-- lockCircuits, on PostgreSQL
select "status"
  from "connection"
  where "id" = ?
  for no key update;

-- putCircuit
delete
  from "circuit"
  where "connection_id" = ? and "model_id" = ? and "kind" = ?;
insert into "circuit" ("connection_id", "model_id", "kind", "failures", "inputs", "opened_at", "paused_until", "detail")
  values (?, ?, ?, ?, ?, ?, ?, ?);
delete
  from "circuit"
  where "connection_id" = ? and "model_id" is null and "kind" = ?;

-- removeCircuit
delete
  from "circuit"
  where "connection_id" = ? and "model_id" = ? and "kind" = ?;
delete
  from "circuit"
  where "connection_id" = ? and "model_id" is null and "kind" = ?;

-- takeQuestion
select *
  from "circuit"
  where "connection_id" = ?;
select "id"
  from "run"
  where "connection_id" = ? and "state" = 'queued' and "waiting_for" is null
  limit ?;

-- takeQuestion, on SQLite
select "status"
  from "connection"
  where "id" = ?;

-- takeQuestion, on PostgreSQL
select "status"
  from "connection"
  where "id" = ?
  for no key update;

-- searchRuns
select "id", "user_id", "task", "state", "connection_id", "model_id", "error"
  from "run"
  where "project_id" = ? and ("visibility" = ? or "user_id" = ?) and "state" = 'queued' and "waiting_for" is not null
  order by "id" desc
  limit ?;

-- searchRuns, on SQLite
select *
  from "run"
  where "id" in (select value
  from json_each(?))
  order by "id";

-- searchRuns, on PostgreSQL
select *
  from "run"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  order by "id";

-- eraseRuns
update "run"
  set "imported" = ?
  where "id" = ?;

-- eraseRuns, on SQLite
update "run"
  set "input" = ?, "asked" = ?, "next_models" = ?, "result" = ?, "expansion" = ?, "progress" = ?, "error" = ?, "warnings" = ?, "message_id" = ?, "batch_id" = ?, "idempotency_scope" = ?, "idempotency_key" = ?
  where "id" in (select value
  from json_each(?));
delete
  from "run_event"
  where "run_id" in (select value
  from json_each(?));
delete
  from "run_input"
  where "run_id" in (select value
  from json_each(?));
delete
  from "output"
  where "run_id" in (select value
  from json_each(?));
delete
  from "run_webhook"
  where "run_id" in (select value
  from json_each(?));
update "attempt"
  set "provider_urls" = ?
  where "run_id" in (select value
  from json_each(?));
select "id", "imported"
  from "run"
  where "id" in (select value
  from json_each(?)) and "imported" is not null;

-- eraseRuns, on PostgreSQL
update "run"
  set "input" = ?, "asked" = ?, "next_models" = ?, "result" = ?, "expansion" = ?, "progress" = ?, "error" = ?, "warnings" = ?, "message_id" = ?, "batch_id" = ?, "idempotency_scope" = ?, "idempotency_key" = ?
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
delete
  from "run_event"
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
delete
  from "run_input"
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
delete
  from "output"
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
delete
  from "run_webhook"
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
update "attempt"
  set "provider_urls" = ?
  where "run_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
select "id", "imported"
  from "run"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "imported" is not null;

-- appendRunEvents
update "run"
  set "id" = ?, "project_id" = ?, "user_id" = ?, "visibility" = ?, "api_key_id" = ?, "connection_id" = ?, "model_id" = ?, "schema_hash" = ?, "task" = ?, "input" = ?, "input_hash" = ?, "state" = ?, "progress" = ?, "queue_place" = ?, "priority" = ?, "not_before" = ?, "cancel_requested_at" = ?, "idempotency_scope" = ?, "idempotency_key" = ?, "request_hash" = ?, "batch_id" = ?, "message_id" = ?, "retry_of" = ?, "remix_of" = ?, "prompt_version_id" = ?, "waiting_for" = ?, "held_micros" = ?, "cost_micros" = ?, "cost_basis" = ?, "placeless" = ?, "price_snapshot" = ?, "usage" = ?, "result" = ?, "warnings" = ?, "error" = ?, "worker_id" = ?, "fence" = ?, "seq" = "seq" + ?, "attempts" = ?, "probes" = ?, "created_at" = ?, "started_at" = ?, "first_output_at" = ?, "finished_at" = ?, "pruned_at" = ?, "imported" = ?, "alias" = ?, "next_models" = ?, "asked" = ?, "expansion" = ?
  where "id" = ? and "fence" = ? and "finished_at" is null
  returning "seq";
insert into "run_event" ("run_id", "seq", "type", "payload", "at")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
update "run"
  set "seq" = "seq" + ?
  where "id" = ? and "fence" = ? and "finished_at" is null
  returning "seq";
insert into "run_event" ("run_id", "seq", "type", "payload", "at")
  values (?, ?, ?, ?, ?);

-- changeWaiting, on SQLite
select *
  from "run"
  where "id" = ?;

-- changeWaiting, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;

-- getRun
select *
  from "run"
  where "id" = ?;

-- getRunStanding
select "state", "seq", "attempts"
  from "run"
  where "id" = ?;

-- insertEvents
insert into "run_event" ("run_id", "seq", "type", "payload", "at")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
insert into "run_event" ("run_id", "seq", "type", "payload", "at")
  values (?, ?, ?, ?, ?);

-- insertRun
insert into "run" ("id", "project_id", "user_id", "visibility", "api_key_id", "connection_id", "model_id", "schema_hash", "task", "input", "input_hash", "state", "progress", "queue_place", "priority", "not_before", "cancel_requested_at", "idempotency_scope", "idempotency_key", "request_hash", "batch_id", "message_id", "retry_of", "remix_of", "prompt_version_id", "waiting_for", "held_micros", "cost_micros", "cost_basis", "placeless", "probes", "price_snapshot", "usage", "result", "warnings", "error", "worker_id", "fence", "seq", "attempts", "created_at", "started_at", "first_output_at", "finished_at", "pruned_at", "imported", "alias", "next_models", "asked", "expansion")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "run_event" ("run_id", "seq", "type", "payload", "at")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
insert into "attempt" ("run_id", "number", "request_hash", "client_token", "provider_request_id", "provider_urls", "state", "bytes_written", "http_status", "sent_at", "accepted_at", "ended_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "run_event" ("run_id", "seq", "type", "payload", "at")
  values (?, ?, ?, ?, ?);

-- isCancelRequested
select "cancel_requested_at"
  from "run"
  where "id" = ?;

-- lockRun, on SQLite
select *
  from "run"
  where "id" = ?;

-- lockRun, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;

-- moveRun, on SQLite
select *
  from "run"
  where "id" = ?;

-- moveRun, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;

-- redirectQueued, on SQLite
select *
  from "run"
  where "id" = ?;

-- redirectQueued, on PostgreSQL
select *
  from "run"
  where "id" = ?
  for no key update;

-- releaseIdempotencyKey
update "run"
  set "idempotency_scope" = ?, "idempotency_key" = ?
  where "id" = ?;

-- releaseSlot
update "run"
  set "placeless" = ?
  where "id" = ? and "fence" = ?
  returning "connection_id";

-- requestCancel
update "run"
  set "cancel_requested_at" = ?, "seq" = "seq" + ?
  where "id" = ? and "cancel_requested_at" is null and "finished_at" is null
  returning "seq", "project_id", "visibility", "user_id";
insert into "run_event" ("run_id", "seq", "type", "payload", "at")
  values (?, ?, ?, ?, ?);

-- updateSeq
update "run"
  set "seq" = ?
  where "id" = ?;

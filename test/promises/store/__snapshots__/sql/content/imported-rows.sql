-- countImported
select count(*) as "n"
  from "message"
  inner join "conversation" on "conversation"."id" = "message"."conversation_id"
  where "conversation"."project_id" = ?;
select count(*) as "n"
  from "conversation"
  where "project_id" = ?;
select count(*) as "n"
  from "run"
  where "project_id" = ?;
select count(*) as "n"
  from "asset"
  where "project_id" = ?;

-- insertImportedAssets, on SQLite
update "asset"
  set "connection_id" = (select "run"."connection_id"
  from "run"
  where "run"."id" = "asset"."run_id"), "model_id" = (select "run"."model_id"
  from "run"
  where "run"."id" = "asset"."run_id")
  where "id" in (select value
  from json_each(?)) and "run_id" is not null;

-- insertImportedAssets, on PostgreSQL
update "asset"
  set "connection_id" = (select "run"."connection_id"
  from "run"
  where "run"."id" = "asset"."run_id"), "model_id" = (select "run"."model_id"
  from "run"
  where "run"."id" = "asset"."run_id")
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "run_id" is not null;

-- insertImportedConversations
insert into "conversation" ("id", "user_id", "visibility", "title", "system_prompt", "settings", "pinned", "archived_at", "head_message_id", "forked_from", "created_at", "updated_at", "project_id", "temporary", "trashed_at", "folder_id", "titling", "idempotency_scope", "idempotency_key", "request_hash")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;
insert into "conversation" ("id", "user_id", "visibility", "title", "system_prompt", "settings", "pinned", "archived_at", "head_message_id", "forked_from", "created_at", "updated_at", "project_id", "temporary", "trashed_at", "folder_id", "titling", "idempotency_scope", "idempotency_key", "request_hash")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;

-- insertImportedMessages
insert into "message" ("id", "conversation_id", "parent_id", "role", "state", "parts", "run_id", "copy_of", "continues_id", "ask_group", "ask_column", "picked_at", "merged_from", "created_at", "search", "trashed_at", "idempotency_scope", "idempotency_key", "request_hash")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;
insert into "feedback" ("message_id", "user_id", "value", "reasons", "text", "at")
  values (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?)
  on conflict do nothing;
insert into "message" ("id", "conversation_id", "parent_id", "role", "state", "parts", "run_id", "copy_of", "continues_id", "ask_group", "ask_column", "picked_at", "merged_from", "created_at", "search", "trashed_at", "idempotency_scope", "idempotency_key", "request_hash")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;

-- insertImportedRuns
insert into "batch" ("id", "project_id", "kind", "task", "input", "axes", "created_by", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;
insert into "run" ("id", "user_id", "visibility", "connection_id", "model_id", "task", "input", "state", "attempts", "message_id", "retry_of", "remix_of", "expansion", "price_snapshot", "cost_micros", "cost_basis", "usage", "result", "warnings", "error", "created_at", "started_at", "finished_at", "project_id", "api_key_id", "schema_hash", "input_hash", "progress", "queue_place", "priority", "not_before", "cancel_requested_at", "idempotency_scope", "idempotency_key", "request_hash", "batch_id", "prompt_version_id", "waiting_for", "held_micros", "placeless", "probes", "worker_id", "fence", "seq", "first_output_at", "pruned_at", "imported", "alias", "asked", "next_models")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;
insert into "run_input" ("run_id", "asset_id", "role")
  values (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?)
  on conflict do nothing;
insert into "batch" ("id", "project_id", "kind", "task", "input", "axes", "created_by", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;
insert into "run" ("id", "user_id", "visibility", "connection_id", "model_id", "task", "input", "state", "attempts", "message_id", "retry_of", "remix_of", "expansion", "price_snapshot", "cost_micros", "cost_basis", "usage", "result", "warnings", "error", "created_at", "started_at", "finished_at", "project_id", "api_key_id", "schema_hash", "input_hash", "progress", "queue_place", "priority", "not_before", "cancel_requested_at", "idempotency_scope", "idempotency_key", "request_hash", "batch_id", "prompt_version_id", "waiting_for", "held_micros", "placeless", "probes", "worker_id", "fence", "seq", "first_output_at", "pruned_at", "imported", "alias", "asked", "next_models")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;
insert into "run_input" ("run_id", "asset_id", "role")
  values (?, ?, ?)
  on conflict do nothing;

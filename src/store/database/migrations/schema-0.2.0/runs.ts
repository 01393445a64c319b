import type { Table } from "../ddl.ts";

/**
 * A run, its attempts and results, and its log. References to rows that may be deleted have no
 * foreign key: history outlives them.
 */
export const runs: Table[] = [
  {
    name: "batch",
    columns: {
      id: "text",
      project_id: "text",
      kind: "text",
      task: "text",
      input: "text",
      axes: "text?",
      created_by: "text",
      created_at: "int",
    },
    constraints: ["primary key (id)"],
    indexes: [`create index batch_list on batch (project_id, id desc)`],
  },
  {
    name: "run",
    columns: {
      id: "text",
      // The owner, and where the run shows.
      project_id: "text",
      user_id: "text",
      visibility: "text",
      api_key_id: "text?",
      batch_id: "text?",
      message_id: "text?",
      retry_of: "text?",
      remix_of: "text?",
      prompt_version_id: "text?",
      // The model and its input. For an alias, also the original request and the fallback models.
      connection_id: "text",
      model_id: "text",
      schema_hash: "text?",
      task: "text",
      input: "text",
      input_hash: "text",
      alias: "text?",
      asked: "text?",
      next_models: "text?",
      // A repeat under the same key returns this run.
      idempotency_scope: "text?",
      idempotency_key: "text?",
      request_hash: "text",
      // The progress and its worker. The fence refuses writes of an owner that was replaced.
      state: "text",
      waiting_for: "text?",
      priority: "int",
      not_before: "int?",
      cancel_requested_at: "int?",
      placeless: "int",
      progress: "text?",
      queue_place: "int?",
      worker_id: "text?",
      fence: "int",
      seq: "int",
      attempts: "int",
      probes: "int",
      // The cost, at the prices of the admission.
      price_snapshot: "text?",
      held_micros: "int",
      cost_micros: "int?",
      cost_basis: "text?",
      usage: "text?",
      // The outcome.
      result: "text?",
      warnings: "text",
      error: "text?",
      imported: "text?",
      created_at: "int",
      started_at: "int?",
      first_output_at: "int?",
      finished_at: "int?",
      pruned_at: "int?",
    },
    constraints: ["primary key (id)", "foreign key (project_id) references project (id)"],
    indexes: [
      `create unique index run_idempotency on run (idempotency_scope, idempotency_key) where idempotency_key is not null`,
      `create index run_list on run (project_id, id desc)`,
      `create index run_model on run (project_id, connection_id, model_id, id desc)`,
      `create index run_batch on run (batch_id) where batch_id is not null`,
      `create index run_message on run (message_id) where message_id is not null`,
      // Open runs are few among all that ended, so each query on them has an index of its own.
      `create index run_open on run (project_id, id desc) where state in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed')`,
      `create index run_queued on run (connection_id, user_id, priority desc, id) where state = 'queued'`,
      `create index run_queued_model on run (connection_id, model_id, priority desc, id) where state = 'queued'`,
      `create index run_next_models on run (connection_id) where state = 'queued' and next_models is not null`,
      `create index run_waiting on run (project_id, id) where state = 'queued' and waiting_for is not null`,
      `create index run_active on run (connection_id, user_id) where state in ('submitting', 'submitted', 'running', 'storing')`,
      `create index run_unconfirmed on run (id) where state = 'unconfirmed'`,
      `create index run_connection_open on run (connection_id) where finished_at is null`,
      `create index run_live on run (user_id) where task = 'live' and finished_at is null`,
      `create index run_worker on run (worker_id) where worker_id is not null`,
      `create index run_prunable on run (finished_at) where finished_at is not null and pruned_at is null`,
      // Usage and budgets count these separately: their sums say "at least".
      `create index run_without_price on run (finished_at) where finished_at is not null and (cost_micros is null or cost_basis = 'assumed')`,
    ],
  },
  {
    name: "attempt",
    columns: {
      run_id: "text",
      number: "int",
      request_hash: "text",
      client_token: "text",
      provider_request_id: "text?",
      provider_urls: "text?",
      state: "text",
      bytes_written: "int?",
      http_status: "int?",
      sent_at: "int?",
      accepted_at: "int?",
      ended_at: "int?",
    },
    constraints: ["primary key (run_id, number)", "foreign key (run_id) references run (id)"],
    indexes: [
      // A webhook or a person names a job by the provider's id.
      `create index attempt_request on attempt (provider_request_id) where provider_request_id is not null`,
    ],
  },
  {
    name: "output",
    columns: {
      run_id: "text",
      index: "int",
      remote_url: "text?",
      expires_at: "int?",
      state: "text",
      bytes: "int?",
      sha256: "text?",
      asset_id: "text?",
      name: "text",
      facts: "text",
      input: "text?",
    },
    constraints: [`primary key (run_id, "index")`, "foreign key (run_id) references run (id)"],
    indexes: [
      // Results are still downloaded after their run has ended.
      `create index output_promised on output (run_id) where state = 'promised'`,
    ],
  },
  {
    name: "run_event",
    columns: { run_id: "text", seq: "int", type: "text", payload: "text", at: "int" },
    constraints: ["primary key (run_id, seq)"],
  },
  {
    name: "run_input",
    columns: { run_id: "text", asset_id: "text", role: "text" },
    constraints: ["primary key (run_id, asset_id, role)"],
    indexes: [`create index run_input_asset on run_input (asset_id, run_id)`],
  },
];

import { createTable, type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Budgets and the entries that count against them, prices set by people, webhooks in and out, and
 * the traces of a pause or a restore.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  const int = engine === "postgres" ? "bigint" : "integer";
  await usageByMonth(db, engine);
  await budgets(db, engine);
  await webhooks(db, engine);
  await execute(db, [
    // All entries of a run count in the period of its admission, whenever they are written.
    `alter table ledger_entry add column admitted_at ${int} not null default 0`,
    `update ledger_entry set admitted_at = coalesce((select run.created_at from run where run.id = ledger_entry.run_id), at)`,
    `create index ledger_admitted on ledger_entry (admitted_at)`,
    `alter table ledger_entry add column note text`,
    `alter table ledger_entry add column actor_id text`,
    // The ledger in order of writing, for readers of a whole range.
    `create index ledger_at on ledger_entry (at, id)`,
    `create index usage_day_project on usage_day (project_id, day)`,
    `alter table run add column cost_basis text`,
    `update run set cost_basis = 'known' where cost_micros is not null`,
    `update run set cost_basis = 'counted' where cost_micros is not null`,
    // A webhook or a person names a job by the provider's id.
    `create index attempt_request on attempt (provider_request_id) where provider_request_id is not null`,
    // Unconfirmed runs are few, and looked up often.
    `create index run_unknown on run (id) where state = 'unknown'`,
    // Results are still downloaded after their run has ended.
    `create index output_promised on output (run_id) where state = 'promised'`,
    `create index run_waiting on run (project_id, id) where state = 'queued' and waiting_for is not null`,
    `alter table connection add column failures ${int} not null default 0`,
    `alter table connection add column paused_until ${int}`,
    // The place this database was last served from: a different one means a copy or a move.
    `alter table instance add column place text`,
  ]);
}

/**
 * Years of days are too many to sum while somebody waits, so whole months are summed as they pass.
 */
async function usageByMonth(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "usage_month",
    {
      month: "text",
      project_id: "text",
      user_id: "text",
      connection_id: "text",
      model_id: "text",
      runs: "int",
      tokens: "int",
      micros: "int",
    },
    ["primary key (month, project_id, user_id, connection_id, model_id)"],
  );
  await execute(db, [
    `insert into usage_month (month, project_id, user_id, connection_id, model_id, runs, tokens, micros)
      select substr(day, 1, 7), project_id, user_id, connection_id, model_id, sum(runs), sum(tokens), sum(micros)
      from usage_day group by 1, 2, 3, 4, 5`,
  ]);
}

async function budgets(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "budget",
    {
      id: "text",
      scope: "text",
      scope_id: "text?",
      period: "text",
      time_zone: "text",
      limit_micros: "int",
      on_limit: "text",
      authority: "text",
      created_by: "text?",
      created_at: "int",
    },
    ["primary key (id)"],
  );
  await execute(db, [
    `create unique index budget_one on budget (scope, coalesce(scope_id, ''), period, authority)`,
  ]);
  await createTable(
    db,
    engine,
    "balance",
    {
      budget_id: "text",
      period_start: "int",
      spent_micros: "int",
      held_micros: "int",
      warned_percent: "int",
    },
    [
      "primary key (budget_id, period_start)",
      "foreign key (budget_id) references budget (id) on delete cascade",
    ],
  );
  await createTable(
    db,
    engine,
    "model_override",
    {
      connection_id: "text",
      model_id: "text",
      prices: "text?",
      ceiling_micros: "int?",
      set_by: "text",
      set_at: "int",
    },
    [
      "primary key (connection_id, model_id)",
      "foreign key (connection_id) references connection (id) on delete cascade",
    ],
  );
}

async function webhooks(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "webhook_in",
    { connection_id: "text", event_id: "text", received_at: "int", outcome: "text" },
    [
      "primary key (connection_id, event_id)",
      "foreign key (connection_id) references connection (id) on delete cascade",
    ],
  );
  await execute(db, [`create index webhook_in_received on webhook_in (received_at)`]);
  await createTable(
    db,
    engine,
    "webhook_endpoint",
    {
      id: "text",
      project_id: "text?",
      url: "text",
      secret: "text",
      events: "text",
      created_by: "text",
      created_at: "int",
      disabled_at: "int?",
    },
    ["primary key (id)"],
  );
  await createTable(
    db,
    engine,
    "webhook_out",
    {
      id: "text",
      endpoint_id: "text",
      event: "text",
      payload: "text",
      attempts: "int",
      next_at: "int",
      status: "text",
      last_error: "text?",
      created_at: "int",
    },
    [
      "primary key (id)",
      "foreign key (endpoint_id) references webhook_endpoint (id) on delete cascade",
    ],
  );
  await execute(db, [
    `create index webhook_out_due on webhook_out (next_at) where status = 'waiting'`,
  ]);
}

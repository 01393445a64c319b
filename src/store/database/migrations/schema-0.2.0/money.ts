import type { Table } from "../ddl.ts";

const ofModel = {
  project_id: "text",
  user_id: "text",
  connection_id: "text",
  model_id: "text",
} as const;
const ofKey = { api_key_id: "text", project_id: "text" } as const;
const counts = { runs: "int", tokens: "int", micros: "int" } as const;

/**
 * The ledger, the budgets that limit it, and its sums. Years of days are too many to sum while
 * somebody waits, so whole months are stored too. Keys have sums of their own, because most of a
 * team's runs have no key.
 */
export const money: Table[] = [
  {
    name: "ledger_entry",
    columns: {
      id: "text",
      run_id: "text?",
      project_id: "text",
      user_id: "text",
      api_key_id: "text?",
      connection_id: "text?",
      model_id: "text?",
      kind: "text",
      settlement: "text?",
      micros: "int",
      // All entries of a run count in the period of its admission, whenever they are written.
      admitted_at: "int",
      note: "text?",
      actor_id: "text?",
      at: "int",
    },
    constraints: ["primary key (id)"],
    indexes: [
      `create index ledger_run on ledger_entry (run_id)`,
      // No run is settled twice.
      `create unique index ledger_one_settlement on ledger_entry (settlement) where settlement is not null`,
      `create index ledger_project on ledger_entry (project_id, at)`,
      `create index ledger_admitted on ledger_entry (admitted_at)`,
      // A key's budget is computed from its own entries.
      "create index ledger_api_key on ledger_entry (api_key_id, admitted_at) where api_key_id is not null",
      // In the order of writing, for readers of a whole range.
      `create index ledger_at on ledger_entry (at, id)`,
    ],
  },
  {
    name: "budget",
    columns: {
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
    constraints: ["primary key (id)"],
    indexes: [
      `create unique index budget_one on budget (scope, coalesce(scope_id, ''), period, authority)`,
    ],
  },
  {
    name: "balance",
    columns: {
      budget_id: "text",
      period_start: "int",
      spent_micros: "int",
      held_micros: "int",
      warned_percent: "int",
    },
    constraints: [
      "primary key (budget_id, period_start)",
      "foreign key (budget_id) references budget (id) on delete cascade",
    ],
  },
  {
    name: "usage_day",
    columns: { day: "text", ...ofModel, ...counts },
    constraints: ["primary key (day, project_id, user_id, connection_id, model_id)"],
    indexes: [`create index usage_day_project on usage_day (project_id, day)`],
  },
  {
    name: "usage_month",
    columns: { month: "text", ...ofModel, ...counts },
    constraints: ["primary key (month, project_id, user_id, connection_id, model_id)"],
  },
  {
    name: "usage_key_day",
    columns: { day: "text", ...ofKey, ...counts },
    constraints: ["primary key (day, api_key_id)"],
  },
  {
    name: "usage_key_month",
    columns: { month: "text", ...ofKey, ...counts },
    constraints: ["primary key (month, api_key_id)"],
  },
];

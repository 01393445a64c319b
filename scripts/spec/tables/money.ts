import { budgetPeriods, budgetScopes, onLimits } from "#contract/budgets.ts";
import { oneOf, person, ref, type WordsOf } from "./words.ts";

const usage = {
  project_id: ref("project", "The project."),
  user_id: person("The person who requested the runs."),
  connection_id: ref("connection", "The connection."),
  model_id: "The model.",
  runs: "Runs settled.",
  tokens: "Tokens, in and out.",
  micros: "Money spent.",
} as const;
const keyUsage = {
  api_key_id: ref("api_key", "The key."),
  project_id: ref("project", "The key's project."),
  runs: "Runs settled.",
  tokens: "Tokens, in and out.",
  micros: "Money spent.",
} as const;

export const money: WordsOf<
  | "budget"
  | "balance"
  | "ledger_entry"
  | "usage_day"
  | "usage_month"
  | "usage_key_day"
  | "usage_key_month"
> = {
  budget: {
    area: "money",
    is: "A limit on what runs may cost in a period.",
    kept: "Until it is removed.",
    columns: {
      id: "UUIDv7.",
      scope: `What it limits: ${oneOf(budgetScopes)}.`,
      scope_id:
        "ID of that project, person or key. Null: the instance, or the default for new ones.",
      period: `Period: ${oneOf(budgetPeriods)}.`,
      time_zone: "IANA time zone in which days and months start.",
      limit_micros: "The limit.",
      on_limit: `At the limit: ${oneOf(onLimits)}.`,
      authority: "Who set it: `admin` or `manager`. Both apply.",
      created_by: person("The person who set it."),
      created_at: "When it was set.",
    },
  },
  balance: {
    area: "money",
    is: "A budget's state in one period. `doctor` recomputes it from the ledger.",
    kept: "As long as its budget.",
    columns: {
      budget_id: ref("budget", "The budget."),
      period_start: "When the period started.",
      spent_micros: "Money spent in it.",
      held_micros: "Money reserved in it.",
      warned_percent: "Highest warning sent: 0, 80 or 100 percent.",
    },
  },
  ledger_entry: {
    area: "money",
    is: "The ledger: every reservation and cost. Rows are added, never changed.",
    kept: "Forever.",
    columns: {
      id: "UUIDv7.",
      run_id: ref("run", "The run."),
      project_id: ref("project", "The project that pays."),
      user_id: person("The person who requested the runs."),
      api_key_id: ref("api_key", "The key that was used."),
      connection_id: ref("connection", "The connection."),
      model_id: "The model.",
      kind: "`hold`, `release`, `spend`, `overage` (above the hold) or `adjust` (a correction).",
      settlement: "The run's ID on its one settlement. Unique, so no run is settled twice.",
      micros: "Amount.",
      admitted_at: "When the run was admitted, which decides the period that it counts in.",
      note: "A person's reason for the correction.",
      actor_id: person("The person who corrected it."),
      at: "When it was booked.",
    },
  },
  usage_day: {
    area: "money",
    is: "Totals of the ledger by day, for Usage.",
    kept: "Forever.",
    columns: { day: "Day, UTC: `2026-11-22`.", ...usage },
  },
  usage_month: {
    area: "money",
    is: "The same by month.",
    kept: "Forever.",
    columns: { month: "Month, UTC: `2026-11`.", ...usage },
  },
  usage_key_day: {
    area: "money",
    is: "Totals by day of runs that a key requested.",
    kept: "Forever.",
    columns: { day: "Day, UTC.", ...keyUsage },
  },
  usage_key_month: {
    area: "money",
    is: "The same by month.",
    kept: "Forever.",
    columns: { month: "Month, UTC.", ...keyUsage },
  },
};

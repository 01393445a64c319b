import { prepared } from "./prepared.ts";
import type { LedgerEntryRow, UsageDayRow, UsageMonthRow } from "./schema.ts";
import type { Store, Tx } from "./store.ts";

export type LedgerEntry = {
  id: string;
  runId: string;
  projectId: string;
  userId: string;
  apiKeyId: string | null;
  connectionId: string;
  modelId: string;
  kind: "hold" | "release" | "spend" | "overage" | "adjust";
  micros: number;
  /** When its run was admitted. */
  admittedAt: number;
  at: number;
};

const insertRow = prepared((db, row: LedgerEntryRow) => db.insertInto("ledger_entry").values(row));

/** Appends to the books. `settles` makes it the one settlement of its run: a second one is refused by the database. */
export async function insertLedgerEntry(tx: Tx, entry: LedgerEntry, settles = false): Promise<void> {
  await insertRow(tx, {
    id: entry.id,
    run_id: entry.runId,
    project_id: entry.projectId,
    user_id: entry.userId,
    api_key_id: entry.apiKeyId,
    connection_id: entry.connectionId,
    model_id: entry.modelId,
    kind: entry.kind,
    settlement: settles ? entry.runId : null,
    micros: entry.micros,
    admitted_at: entry.admittedAt,
    note: null,
    actor_id: null,
    at: entry.at,
  });
}

const addToDay = prepared((db, row: UsageDayRow) =>
  db
    .insertInto("usage_day")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["day", "project_id", "user_id", "connection_id", "model_id"]).doUpdateSet((e) => ({
        runs: e("usage_day.runs", "+", row.runs),
        tokens: e("usage_day.tokens", "+", row.tokens),
        micros: e("usage_day.micros", "+", row.micros),
      })),
    ),
);
const addToMonth = prepared((db, row: UsageMonthRow) =>
  db
    .insertInto("usage_month")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["month", "project_id", "user_id", "connection_id", "model_id"]).doUpdateSet((e) => ({
        runs: e("usage_month.runs", "+", row.runs),
        tokens: e("usage_month.tokens", "+", row.tokens),
        micros: e("usage_month.micros", "+", row.micros),
      })),
    ),
);

export type UsageKey = { day: string; projectId: string; userId: string; connectionId: string; modelId: string };

/** Adds to the rollups that usage reads, by day and by month, in the unit that books it. `day` is the UTC date. */
export async function addUsage(tx: Tx, usage: UsageKey & { runs: 0 | 1; tokens: number; micros: number }): Promise<void> {
  const row = {
    project_id: usage.projectId,
    user_id: usage.userId,
    connection_id: usage.connectionId,
    model_id: usage.modelId,
    runs: usage.runs,
    tokens: usage.tokens,
    micros: usage.micros,
  };
  await addToDay(tx, { ...row, day: usage.day });
  await addToMonth(tx, { ...row, month: usage.day.slice(0, 7) });
}

/** Sets the money of a day of usage to what was booked on it, while nobody writes the books. `day` is the UTC date. */
export async function recountUsage(store: Store, tx: Tx, key: UsageKey): Promise<void> {
  await store.lockBooks(tx, "alone");
  const from = Date.parse(`${key.day}T00:00:00Z`);
  const booked = await tx
    .selectFrom("ledger_entry")
    .select((e) => [e.fn.sum<number | string | null>("micros").as("micros"), e.fn.count<number | string>("settlement").as("runs")])
    .where("kind", "not in", ["hold", "release"])
    .where("at", ">=", from)
    .where("at", "<", from + 86_400_000)
    .where("project_id", "=", key.projectId)
    .where("user_id", "=", key.userId)
    .where("connection_id", "=", key.connectionId)
    .where("model_id", "=", key.modelId)
    .executeTakeFirst();
  const micros = Number(booked?.micros ?? 0);
  await tx
    .insertInto("usage_day")
    .values({
      day: key.day,
      project_id: key.projectId,
      user_id: key.userId,
      connection_id: key.connectionId,
      model_id: key.modelId,
      runs: Number(booked?.runs ?? 0),
      tokens: 0,
      micros,
    })
    .onConflict((conflict) => conflict.columns(["day", "project_id", "user_id", "connection_id", "model_id"]).doUpdateSet({ micros }))
    .execute();
  await recountMonth(tx, { ...key, month: key.day.slice(0, 7) });
}

/** Sets a month of usage to the sum of its days. */
export async function recountMonth(tx: Tx, key: Omit<UsageKey, "day"> & { month: string }): Promise<void> {
  const { month, projectId: project_id, userId: user_id, connectionId: connection_id, modelId: model_id } = key;
  const days = await tx
    .selectFrom("usage_day")
    .select((e) => (["runs", "tokens", "micros"] as const).map((column) => e.fn.sum<number | string | null>(column).as(column)))
    .where("day", ">=", `${month}-01`)
    .where("day", "<=", `${month}-31`)
    .where("project_id", "=", project_id)
    .where("user_id", "=", user_id)
    .where("connection_id", "=", connection_id)
    .where("model_id", "=", model_id)
    .executeTakeFirst();
  const set = { runs: Number(days?.runs ?? 0), tokens: Number(days?.tokens ?? 0), micros: Number(days?.micros ?? 0) };
  await tx
    .insertInto("usage_month")
    .values({ month, project_id, user_id, connection_id, model_id, ...set })
    .onConflict((conflict) => conflict.columns(["month", "project_id", "user_id", "connection_id", "model_id"]).doUpdateSet(set))
    .execute();
}

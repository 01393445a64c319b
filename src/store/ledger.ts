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
        runs: e("usage_day.runs", "+", 1),
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
        runs: e("usage_month.runs", "+", 1),
        tokens: e("usage_month.tokens", "+", row.tokens),
        micros: e("usage_month.micros", "+", row.micros),
      })),
    ),
);

/** The rollups that usage reads, by day and by month, kept in the settling transaction. `day` is the UTC date. */
export async function addUsage(
  tx: Tx,
  usage: { day: string; projectId: string; userId: string; connectionId: string; modelId: string; tokens: number; micros: number },
): Promise<void> {
  const row = {
    project_id: usage.projectId,
    user_id: usage.userId,
    connection_id: usage.connectionId,
    model_id: usage.modelId,
    runs: 1,
    tokens: usage.tokens,
    micros: usage.micros,
  };
  await addToDay(tx, { ...row, day: usage.day });
  await addToMonth(tx, { ...row, month: usage.day.slice(0, 7) });
}

/** Sets the money of a day of usage to what was booked on it, while nobody writes the books. `day` is the UTC date. */
export async function recountUsage(
  store: Store,
  tx: Tx,
  key: { day: string; projectId: string; userId: string; connectionId: string; modelId: string },
): Promise<void> {
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
}

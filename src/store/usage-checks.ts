import { sql } from "kysely";
import type { Reader } from "./store.ts";
import type { UsageOfModel } from "./usage-rollup.ts";

/** What the books and the rollups of usage must say of each other: each returns the rows that do not. */

const dayMs = 86_400_000;
// Both databases divide whole numbers by whole ones without a rest.
const bookedDay = sql<number>`at / ${sql.lit(dayMs)}`;
const toDay = (day: number): string => new Date(Number(day) * dayMs).toISOString().slice(0, 10);
const monthOfDay = sql<string>`substr(day, 1, 7)`;

export type WrongUsage = UsageOfModel & { day: string; micros: number; bookedMicros: number };

/** Days of usage that are not the sum of what was booked on them. */
export async function findWrongUsage(db: Reader): Promise<WrongUsage[]> {
  const booked = await db
    .selectFrom("ledger_entry")
    .select([bookedDay.as("day"), "project_id", "user_id", "connection_id", "model_id"])
    .select((e) => e.fn.sum<number>("micros").as("micros"))
    .where("kind", "not in", ["hold", "release"])
    .groupBy([bookedDay, "project_id", "user_id", "connection_id", "model_id"])
    .execute();
  const shown = await db.selectFrom("usage_day").selectAll().execute();
  const ofRow = (row: { project_id: string; user_id: string; connection_id: string | null; model_id: string | null }) => ({
    projectId: row.project_id,
    userId: row.user_id,
    connectionId: row.connection_id ?? "",
    modelId: row.model_id ?? "",
  });
  return findUnlike(
    shown.map((row) => ({ of: { day: row.day, ...ofRow(row) }, micros: row.micros })),
    booked.map((row) => ({ of: { day: toDay(row.day), ...ofRow(row) }, micros: row.micros })),
  );
}

export type WrongKeyUsage = { day: string; apiKeyId: string; projectId: string; micros: number; bookedMicros: number };

/** Days of an API key that are not the sum of what was booked on them for it. */
export async function findWrongKeyUsage(db: Reader): Promise<WrongKeyUsage[]> {
  const booked = await db
    .selectFrom("ledger_entry")
    .select([bookedDay.as("day"), "api_key_id", "project_id"])
    .select((e) => e.fn.sum<number>("micros").as("micros"))
    .where("api_key_id", "is not", null)
    .where("kind", "not in", ["hold", "release"])
    .groupBy([bookedDay, "api_key_id", "project_id"])
    .execute();
  const shown = await db.selectFrom("usage_key_day").selectAll().execute();
  return findUnlike(
    shown.map((row) => ({ of: { day: row.day, apiKeyId: row.api_key_id, projectId: row.project_id }, micros: row.micros })),
    booked.map((row) => ({
      of: { day: toDay(row.day), apiKeyId: row.api_key_id ?? "", projectId: row.project_id },
      micros: row.micros,
    })),
  );
}

type Sum<Of> = { of: Of; micros: number };

/** What is shown and booked of the same with different sums; what only one of them has is 0 in the other. */
function findUnlike<Of extends object>(
  shown: readonly Sum<Of>[],
  booked: readonly Sum<Of>[],
): (Of & { micros: number; bookedMicros: number })[] {
  const found = new Map<string, Of & { micros: number; bookedMicros: number }>();
  const at = (of: Of) => {
    const name = JSON.stringify(Object.values(of));
    const known = found.get(name) ?? { ...of, micros: 0, bookedMicros: 0 };
    found.set(name, known);
    return known;
  };
  for (const { of, micros } of booked) at(of).bookedMicros = Number(micros);
  for (const { of, micros } of shown) at(of).micros = micros;
  return [...found.values()].filter(({ micros, bookedMicros }) => micros !== bookedMicros);
}

export type WrongMonth = UsageOfModel & { month: string; micros: number; daysMicros: number };

/** Months of usage that are not the sum of their days. */
export async function findWrongMonths(db: Reader): Promise<WrongMonth[]> {
  const key = ["project_id", "user_id", "connection_id", "model_id"] as const;
  const days = db
    .selectFrom("usage_day")
    .select([monthOfDay.as("month"), ...key, "micros as days_micros", sql.lit(0).as("micros")])
    .unionAll(db.selectFrom("usage_month").select(["month", ...key, sql.lit(0).as("days_micros"), "micros"]));
  const rows = await db
    .selectFrom(days.as("both"))
    .select(["month", ...key])
    .select((e) => [e.fn.sum<number>("micros").as("micros"), e.fn.sum<number>("days_micros").as("days_micros")])
    .groupBy(["month", ...key])
    .having((e) => e(e.fn.sum("micros"), "!=", e.fn.sum("days_micros")))
    .execute();
  return rows.map((row) => ({
    month: row.month,
    projectId: row.project_id,
    userId: row.user_id,
    connectionId: row.connection_id,
    modelId: row.model_id,
    micros: Number(row.micros),
    daysMicros: Number(row.days_micros),
  }));
}

export type WrongKeyMonth = { month: string; apiKeyId: string; projectId: string; micros: number; daysMicros: number };

/** Months of an API key that are not the sum of its days. */
export async function findWrongKeyMonths(db: Reader): Promise<WrongKeyMonth[]> {
  const key = ["api_key_id", "project_id"] as const;
  const days = db
    .selectFrom("usage_key_day")
    .select([monthOfDay.as("month"), ...key, "micros as days_micros", sql.lit(0).as("micros")])
    .unionAll(db.selectFrom("usage_key_month").select(["month", ...key, sql.lit(0).as("days_micros"), "micros"]));
  const rows = await db
    .selectFrom(days.as("both"))
    .select(["month", ...key])
    .select((e) => [e.fn.sum<number>("micros").as("micros"), e.fn.sum<number>("days_micros").as("days_micros")])
    .groupBy(["month", ...key])
    .having((e) => e(e.fn.sum("micros"), "!=", e.fn.sum("days_micros")))
    .execute();
  return rows.map((row) => ({
    month: row.month,
    apiKeyId: row.api_key_id,
    projectId: row.project_id,
    micros: Number(row.micros),
    daysMicros: Number(row.days_micros),
  }));
}

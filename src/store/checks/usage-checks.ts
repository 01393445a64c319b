import { sql } from "kysely";
import type { Reader } from "../database/store.ts";
import type { UsageOfKey, UsageOfModel } from "../money/usage-rollup.ts";

/**
 * Checks of the usage rollups against the ledger. Each returns the rows that disagree, with the
 * stored and the recomputed sum.
 */

const dayMs = 86_400_000;
// Both databases truncate the division of integers.
const bookedDay = sql<number>`at / ${sql.lit(dayMs)}`;
const toDay = (day: number): string => new Date(Number(day) * dayMs).toISOString().slice(0, 10);
const monthOfDay = sql<string>`substr(day, 1, 7)`;

type Sum<Of> = { of: Of; micros: number };
export type SumMismatch<Of> = Of & { shownMicros: number; countedMicros: number };

const ofModel = ["project_id", "user_id", "connection_id", "model_id"] as const;
const ofKey = ["api_key_id", "project_id"] as const;

/** Finds usage days that differ from the sum of their entries. */
export async function findWrongUsage(
  db: Reader,
): Promise<SumMismatch<UsageOfModel & { day: string }>[]> {
  const booked = await bookedByDay(db).select(ofModel).groupBy(ofModel).execute();
  const shown = await db
    .selectFrom("usage_day")
    .select(["day", ...ofModel, "micros"])
    .execute();
  const toSum = (row: ModelColumns & { day: string }) => ({
    of: { day: row.day, ...toModel(row) },
    micros: row.micros,
  });
  return findUnlike(
    shown.map(toSum),
    booked.map((row) => toSum({ ...row, day: toDay(row.day) })),
  );
}

/** Finds usage months that differ from the sum of their days. */
export async function findWrongMonths(
  db: Reader,
): Promise<SumMismatch<UsageOfModel & { month: string }>[]> {
  const days = await db
    .selectFrom("usage_day")
    .select([monthOfDay.as("month"), ...ofModel, sql<number>`sum(micros)`.as("micros")])
    .groupBy([monthOfDay, ...ofModel])
    .execute();
  const shown = await db
    .selectFrom("usage_month")
    .select(["month", ...ofModel, "micros"])
    .execute();
  const toSum = (row: ModelColumns & { month: string }) => ({
    of: { month: row.month, ...toModel(row) },
    micros: row.micros,
  });
  return findUnlike(shown.map(toSum), days.map(toSum));
}

/** Finds an API key's days that differ from the sum of its entries. */
export async function findWrongKeyUsage(
  db: Reader,
): Promise<SumMismatch<UsageOfKey & { day: string }>[]> {
  const booked = await bookedByDay(db)
    .where("api_key_id", "is not", null)
    .select(ofKey)
    .groupBy(ofKey)
    .execute();
  const shown = await db
    .selectFrom("usage_key_day")
    .select(["day", ...ofKey, "micros"])
    .execute();
  const toSum = (row: KeyColumns & { day: string }) => ({
    of: { day: row.day, ...toKey(row) },
    micros: row.micros,
  });
  return findUnlike(
    shown.map(toSum),
    booked.map((row) => toSum({ ...row, day: toDay(row.day) })),
  );
}

/** Finds an API key's months that differ from the sum of its days. */
export async function findWrongKeyMonths(
  db: Reader,
): Promise<SumMismatch<UsageOfKey & { month: string }>[]> {
  const days = await db
    .selectFrom("usage_key_day")
    .select([monthOfDay.as("month"), ...ofKey, sql<number>`sum(micros)`.as("micros")])
    .groupBy([monthOfDay, ...ofKey])
    .execute();
  const shown = await db
    .selectFrom("usage_key_month")
    .select(["month", ...ofKey, "micros"])
    .execute();
  const toSum = (row: KeyColumns & { month: string }) => ({
    of: { month: row.month, ...toKey(row) },
    micros: row.micros,
  });
  return findUnlike(shown.map(toSum), days.map(toSum));
}

const bookedByDay = (db: Reader) =>
  db
    .selectFrom("ledger_entry")
    .select([bookedDay.as("day"), sql<number>`sum(micros)`.as("micros")])
    .where("kind", "not in", ["hold", "release"])
    .groupBy(bookedDay);

type ModelColumns = {
  project_id: string;
  user_id: string;
  connection_id: string | null;
  model_id: string | null;
  micros: number;
};
const toModel = (row: ModelColumns): UsageOfModel => ({
  projectId: row.project_id,
  userId: row.user_id,
  connectionId: row.connection_id ?? "",
  modelId: row.model_id ?? "",
});

type KeyColumns = { api_key_id: string | null; project_id: string; micros: number };
const toKey = (row: KeyColumns): UsageOfKey => ({
  apiKeyId: row.api_key_id ?? "",
  projectId: row.project_id,
});

/**
 * Keys whose shown and recomputed sums differ; a key that only one side has counts as 0 on the
 * other.
 */
function findUnlike<Of extends object>(
  shown: readonly Sum<Of>[],
  counted: readonly Sum<Of>[],
): SumMismatch<Of>[] {
  const found = new Map<string, SumMismatch<Of>>();
  const at = (of: Of): SumMismatch<Of> => {
    const name = JSON.stringify(Object.values(of));
    const known = found.get(name) ?? { ...of, shownMicros: 0, countedMicros: 0 };
    found.set(name, known);
    return known;
  };
  // PostgreSQL returns a sum as text.
  for (const { of, micros } of counted) at(of).countedMicros = Number(micros);
  for (const { of, micros } of shown) at(of).shownMicros = Number(micros);
  return [...found.values()].filter(
    ({ shownMicros, countedMicros }) => shownMicros !== countedMicros,
  );
}

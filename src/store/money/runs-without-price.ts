import { sql } from "kysely";
import type { Budget } from "#contract/entities.ts";
import type { Period } from "#domain/money/periods.ts";
import { type DayRange, dayMs } from "#domain/money/usage-range.ts";
import type { Reader } from "../database/store.ts";

/** The projects whose usage is read, or the whole instance. */
export type UsageOf = readonly string[] | "instance";

/** Ended runs that count as zero in the ledger although their cost isn't known to be zero. */
export type WithoutPrice = {
  /** Runs of unknown cost. */
  unpricedRuns: number;
  /** Runs that the provider refused and that are assumed to cost nothing. */
  assumedRuns: number;
};
export type WithoutPriceRow = WithoutPrice & {
  day: string;
  project_id: string;
  user_id: string;
  connection_id: string;
  model_id: string;
  api_key_id: string | null;
};

/** Written like the partial index, so that few rows are read. */
const hasNoPrice = sql<boolean>`finished_at is not null and (cost_micros is null or cost_basis = 'assumed')`;
const counts = [
  sql<number | string>`sum(case when cost_micros is null then 1 else 0 end)`.as("unpricedRuns"),
  sql<number | string>`sum(case when cost_basis = 'assumed' then 1 else 0 end)`.as("assumedRuns"),
] as const;
// Both databases truncate the division of integers.
const endDay = sql<number>`finished_at / ${sql.lit(dayMs)}`;

/** Counts the runs that ended in a range of UTC days, by day and owner. */
export async function countWithoutPrice(
  db: Reader,
  of: UsageOf,
  { from, to }: DayRange,
): Promise<WithoutPriceRow[]> {
  const by = ["project_id", "user_id", "connection_id", "model_id", "api_key_id"] as const;
  let query = db
    .selectFrom("run")
    .select([endDay.as("day"), ...by])
    .select([...counts])
    .where(hasNoPrice)
    .where("imported", "is", null)
    .where("finished_at", ">=", Date.parse(from))
    .where("finished_at", "<", Date.parse(to) + dayMs)
    .groupBy([endDay, ...by]);
  if (of !== "instance") query = query.where("project_id", "in", of);
  return (await query.execute()).map(({ day, unpricedRuns, assumedRuns, ...row }) => ({
    ...row,
    day: new Date(Number(day) * dayMs).toISOString().slice(0, 10),
    unpricedRuns: Number(unpricedRuns),
    assumedRuns: Number(assumedRuns),
  }));
}

/** Counts the runs of unknown cost in a budget's period. */
export async function countUnpricedIn(
  db: Reader,
  budget: Pick<Budget, "scope" | "scopeId">,
  period: Period,
): Promise<number> {
  let query = db
    .selectFrom("run")
    .select((e) => e.fn.countAll<number | string>().as("runs"))
    .where(hasNoPrice)
    .where("cost_micros", "is", null)
    .where("imported", "is", null)
    .where("finished_at", ">=", period.startMs)
    .where("created_at", ">=", period.startMs)
    .where("created_at", "<", period.endMs);
  if (budget.scope !== "instance") {
    const column = ({ project: "project_id", user: "user_id", api_key: "api_key_id" } as const)[
      budget.scope
    ];
    query = query.where(column, "=", budget.scopeId ?? "");
  }
  return Number((await query.executeTakeFirst())?.runs ?? 0);
}

/** Counts the runs of unknown cost that programs started, by key. */
export async function countUnpricedOfKeys(
  db: Reader,
  keyIds: readonly string[],
): Promise<Map<string, number>> {
  if (keyIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("run")
    .select((e) => ["api_key_id", e.fn.countAll<number | string>().as("runs")])
    .where(hasNoPrice)
    .where("cost_micros", "is", null)
    .where("imported", "is", null)
    .where("api_key_id", "in", keyIds)
    .groupBy("api_key_id")
    .execute();
  return new Map(rows.map((row) => [row.api_key_id ?? "", Number(row.runs)]));
}

import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { Model } from "#contract/entities.ts";
import { isFree } from "#domain/money/free.ts";
import { type DayRange, splitByMonth, stepOf } from "#domain/money/usage-range.ts";
import { openStates } from "#domain/runs/run-machine.ts";
import { fromJson } from "../database/json.ts";
import { literals } from "../database/literals.ts";
import type { Database } from "../database/schema.ts";
import type { Reader, Store } from "../database/store.ts";
import {
  type BooksReader,
  mayNameKey,
  modelNamesOf,
  nameableConnections,
  namesOf,
} from "./names.ts";
import {
  countWithoutPrice,
  type UsageOf,
  type WithoutPrice,
  type WithoutPriceRow,
} from "./runs-without-price.ts";

type BookedSum = { micros: number; runs: number; tokens: number };
type SpendSum = BookedSum & WithoutPrice;
type NamedSum = SpendSum & { id: string; name: string };
/** `unpricedRuns` reserve nothing, because their possible cost is unknown. */
type ReservedSum = { runs: number; micros: number; unpricedRuns: number };

export type Usage = {
  total: SpendSum;
  /** The period of a bar: a day, or in a long range a month ("2026-11"). */
  step: "day" | "month";
  /** In order, without periods that have no usage. */
  bars: (SpendSum & { at: string })[];
  /**
   * Each list is sorted by cost, highest first. Connections hidden from the reader are one sum
   * without a name (ids "").
   */
  models: (NamedSum & { connectionId: string })[];
  projects: NamedSum[];
  people: NamedSum[];
  connections: NamedSum[];
  /**
   * The reader's keys, other people's keys as one sum (id "others"), and usage without a key (id
   * ""). Together they make the total.
   */
  keys: NamedSum[];
  /** Money reserved by open runs now, regardless of the range, and the unconfirmed part of it. */
  held: ReservedSum;
  unconfirmed: ReservedSum;
};

/**
 * Reads cost and usage of a range, in every grouping of the usage screen. Its totals match the
 * ledger to the micro-dollar.
 */
export async function readUsage(
  { read: db }: Pick<Store, "read">,
  of: UsageOf,
  reader: BooksReader,
  range: DayRange,
): Promise<Usage> {
  const [steps, all, byKey, open, unpriced, mayName] = await Promise.all([
    spentByStep(db, of, range),
    spentByAll(db, of, range),
    spentByKey(db, of, range),
    heldNow(db, of),
    countWithoutPrice(db, of, range),
    nameableConnections(db, reader),
  ]);
  const letters = stepOf(range) === "day" ? 10 : 7;
  const bars = withUnpriced(
    steps,
    unpriced,
    ({ at }) => at,
    ({ day }) => day.slice(0, letters),
  );
  const rows = withUnpriced(all, unpriced, keyOfRow, keyOfRow).map((row) =>
    mayName(row) ? row : { ...row, connection_id: "", model_id: "" },
  );
  const everyKey = withUnpriced(
    byKey,
    unpriced,
    ({ id }) => id,
    ({ api_key_id }) => api_key_id ?? "",
  ).map((key) => (mayNameKey(reader, key.ownerId) ? key : { ...key, id: othersKeys, name: "" }));
  const keys = dearestFirst(everyKey, ({ id }) => id).map(({ first: { id, name }, spent }) => ({
    id,
    name,
    ...spent,
  }));
  const names = await namesOf(db, {
    projects: rows.map((row) => row.project_id),
    people: rows.map((row) => row.user_id),
    connections: rows.map((row) => row.connection_id),
  });
  const nameOfModel = await modelNamesOf(db, rows);
  const by = (column: "project_id" | "user_id" | "connection_id"): NamedSum[] =>
    dearestFirst(rows, (row) => row[column]).map(({ first, spent }) => ({
      id: first[column],
      name: names.get(first[column]) ?? "",
      ...spent,
    }));
  const total = rows.reduce<SpendSum>(add, nothing);
  return {
    total,
    step: stepOf(range),
    bars,
    models: dearestFirst(rows, (row) => `${row.connection_id} ${row.model_id}`).map(
      ({ first, spent }) => ({
        id: first.model_id,
        name: nameOfModel(first.connection_id, first.model_id),
        connectionId: first.connection_id,
        ...spent,
      }),
    ),
    projects: by("project_id"),
    people: by("user_id"),
    connections: by("connection_id"),
    keys: withoutKey(keys, total),
    ...open,
  };
}

const nothing: SpendSum = { micros: 0, runs: 0, tokens: 0, unpricedRuns: 0, assumedRuns: 0 };
const combine = (a: SpendSum, b: SpendSum, sign: 1 | -1): SpendSum => ({
  micros: a.micros + sign * b.micros,
  runs: a.runs + sign * b.runs,
  tokens: a.tokens + sign * b.tokens,
  unpricedRuns: a.unpricedRuns + sign * b.unpricedRuns,
  assumedRuns: a.assumedRuns + sign * b.assumedRuns,
});
const add = (a: SpendSum, b: SpendSum): SpendSum => combine(a, b, 1);

const keyOfRow = (row: {
  project_id: string;
  user_id: string;
  connection_id: string;
  model_id: string;
}): string => JSON.stringify([row.project_id, row.user_id, row.connection_id, row.model_id]);

/** Adds to each ledger row its number of runs without a price. */
function withUnpriced<Row extends BookedSum>(
  rows: readonly Row[],
  unpriced: readonly WithoutPriceRow[],
  keyOf: (row: Row) => string,
  keyOfRun: (row: WithoutPriceRow) => string,
): (Row & SpendSum)[] {
  const counts = new Map<string, WithoutPrice>();
  for (const row of unpriced) {
    const known = counts.get(keyOfRun(row)) ?? { unpricedRuns: 0, assumedRuns: 0 };
    counts.set(keyOfRun(row), {
      unpricedRuns: known.unpricedRuns + row.unpricedRuns,
      assumedRuns: known.assumedRuns + row.assumedRuns,
    });
  }
  return rows.map((row) => ({
    ...row,
    ...(counts.get(keyOf(row)) ?? { unpricedRuns: 0, assumedRuns: 0 }),
  }));
}

/** Sums the rows of each key, and returns the first row with the sum. */
function dearestFirst<Row extends SpendSum>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): { first: Row; spent: SpendSum }[] {
  const sums = new Map<string, { first: Row; spent: SpendSum }>();
  for (const row of rows) {
    const sum = sums.get(keyOf(row));
    if (sum) sum.spent = add(sum.spent, row);
    else sums.set(keyOf(row), { first: row, spent: add(nothing, row) });
  }
  return [...sums.values()].sort(
    (a, b) => b.spent.micros - a.spent.micros || b.spent.runs - a.spent.runs,
  );
}

/** Appends usage without a key, when there is any: the remainder of the total. */
function withoutKey(keys: NamedSum[], total: SpendSum): NamedSum[] {
  const byKeys = keys.reduce<SpendSum>(add, nothing);
  const rest = combine(total, byKeys, -1);
  const isNothing = rest.micros === 0 && rest.runs === 0 && rest.tokens === 0;
  const all = keys.length === 0 || isNothing ? keys : [...keys, { id: "", name: "", ...rest }];
  return all.sort((a, b) => b.micros - a.micros || b.runs - a.runs);
}

const keyColumns = ["api_key_id", "micros", "runs", "tokens"] as const;

/** Selects the usage of keys in a range, as `used` does for all usage. */
function usedByKeys(db: Reader, of: UsageOf, range: DayRange) {
  const daysOf = ({ from, to }: DayRange) => {
    const ranged = db
      .selectFrom("usage_key_day")
      .select(keyColumns)
      .where("day", ">=", from)
      .where("day", "<=", to);
    return of === "instance" ? ranged : ranged.where("project_id", "in", of);
  };
  if (stepOf(range) === "day") return daysOf(range).as("used");
  const { months, days } = splitByMonth(range);
  const ranged = db
    .selectFrom("usage_key_month")
    .select(keyColumns)
    .where("month", ">=", months.from)
    .where("month", "<=", months.to);
  const whole = of === "instance" ? ranged : ranged.where("project_id", "in", of);
  return days.reduce((all, part) => all.unionAll(daysOf(part)), whole).as("used");
}

/** The id under which other people's keys are combined. */
const othersKeys = "others";

/** Returns each key's cost, including revoked keys. */
async function spentByKey(
  db: Reader,
  of: UsageOf,
  range: DayRange,
): Promise<(BookedSum & { id: string; name: string; ownerId: string })[]> {
  const rows = await db
    .selectFrom(usedByKeys(db, of, range))
    .leftJoin("api_key", "api_key.id", "used.api_key_id")
    .select(["used.api_key_id as id", "api_key.name", "api_key.user_id"])
    .select((e) => [
      e.fn.sum<number | string>("used.micros").as("micros"),
      e.fn.sum<number | string>("used.runs").as("runs"),
      e.fn.sum<number | string>("used.tokens").as("tokens"),
    ])
    .groupBy(["used.api_key_id", "api_key.name", "api_key.user_id"])
    .execute();
  return rows.map(({ id, name, user_id, ...spent }) => ({
    id,
    name: name ?? "",
    ownerId: user_id ?? "",
    ...toSpent(spent),
  }));
}

const dimensions = ["project_id", "user_id", "connection_id", "model_id"] as const;
const columns = [...dimensions, "micros", "runs", "tokens"] as const;

/**
 * Selects the rollup's rows of a range with their step: days, or whole months plus the remaining
 * days.
 */
function used(db: Reader, of: UsageOf, range: DayRange) {
  const daysOf = ({ from, to }: DayRange, letters: 7 | 10) => {
    const step =
      letters === 10 ? sql<string>`day` : sql<string>`substr(day, 1, ${sql.lit(letters)})`;
    const query = db.selectFrom("usage_day").select([step.as("step"), ...columns]);
    const ranged = query.where("day", ">=", from).where("day", "<=", to);
    return of === "instance" ? ranged : ranged.where("project_id", "in", of);
  };
  if (stepOf(range) === "day") return daysOf(range, 10).as("used");
  const { months, days } = splitByMonth(range);
  const query = db.selectFrom("usage_month").select(["month as step", ...columns]);
  const ranged = query.where("month", ">=", months.from).where("month", "<=", months.to);
  const whole = of === "instance" ? ranged : ranged.where("project_id", "in", of);
  return days
    .reduce((all, part) => all.unionAll(daysOf(part, 7)), whole.$castTo<Step>())
    .as("used");
}
type Step = Selectable<Pick<Database["usage_day"], (typeof columns)[number]>> & { step: string };

const sums = (e: ExpressionBuilder<{ used: Step }, "used">) => [
  e.fn.sum<number | string>("micros").as("micros"),
  e.fn.sum<number | string>("runs").as("runs"),
  e.fn.sum<number | string>("tokens").as("tokens"),
];
const toSpent = (row: Record<keyof BookedSum, number | string>): BookedSum => ({
  micros: Number(row.micros),
  runs: Number(row.runs),
  tokens: Number(row.tokens),
});

async function spentByStep(
  db: Reader,
  of: UsageOf,
  range: DayRange,
): Promise<(BookedSum & { at: string })[]> {
  const rows = await db
    .selectFrom(used(db, of, range))
    .select("step")
    .select(sums)
    .groupBy("step")
    .orderBy("step")
    .execute();
  return rows.map((row) => ({ at: row.step, ...toSpent(row) }));
}

/** Sums cost by every combination of project, person, connection and model; callers sum further. */
async function spentByAll(db: Reader, of: UsageOf, range: DayRange) {
  const rows = await db
    .selectFrom(used(db, of, range))
    .select(dimensions)
    .select(sums)
    .groupBy(dimensions)
    .execute();
  return rows.map(({ micros, runs, tokens, ...row }) => ({
    ...row,
    ...toSpent({ micros, runs, tokens }),
  }));
}

const hasNoPrice = (snapshot: string | null): boolean =>
  snapshot !== null && !isFree(fromJson<Model["prices"]>(snapshot));

async function heldNow(db: Reader, of: UsageOf): Promise<Pick<Usage, "held" | "unconfirmed">> {
  // Without a hold, the price distinguishes free from unknown.
  const prices = sql<
    string | null
  >`case when held_micros = 0 then coalesce(price_snapshot, '[]') end`;
  let query = db.selectFrom("run").where("state", "in", literals(openStates));
  if (of !== "instance") query = query.where("project_id", "in", of);
  const rows = await query
    .select((e) => [
      "state",
      prices.as("prices"),
      e.fn.countAll<number>().as("runs"),
      e.fn.sum<number | string>("held_micros").as("micros"),
    ])
    .groupBy(["state", prices])
    .execute();
  const sum = (states: typeof rows): ReservedSum => ({
    runs: states.reduce((total, row) => total + Number(row.runs), 0),
    micros: states.reduce((total, row) => total + Number(row.micros), 0),
    unpricedRuns: states.reduce(
      (total, row) => total + (hasNoPrice(row.prices) ? Number(row.runs) : 0),
      0,
    ),
  });
  return { held: sum(rows), unconfirmed: sum(rows.filter(({ state }) => state === "unconfirmed")) };
}

import type { SelectQueryBuilder } from "kysely";
import { openStates } from "#domain/run-machine.ts";
import { literals } from "./literals.ts";
import type { Database, LedgerEntryRow } from "./schema.ts";
import type { Reader } from "./store.ts";

/** Whose use is asked for: of certain projects, or of the whole instance. */
export type UsageOf = readonly string[] | "instance";
/** UTC dates, both included: "2026-11-01" to "2026-11-30". */
export type DayRange = { from: string; to: string };

export type Spent = { micros: number; runs: number; tokens: number };
const dimensions = ["project_id", "user_id", "connection_id", "model_id"] as const;
type Dimension = (typeof dimensions)[number];

const inRange = (db: Reader, of: UsageOf, range: DayRange) => {
  const query = db.selectFrom("usage_day").where("day", ">=", range.from).where("day", "<=", range.to);
  return of === "instance" ? query : query.where("project_id", "in", of);
};
const sums = <Q extends SelectQueryBuilder<Database, "usage_day", object>>(query: Q) =>
  query.select((e) => [
    e.fn.sum<number | string>("micros").as("micros"),
    e.fn.sum<number | string>("runs").as("runs"),
    e.fn.sum<number | string>("tokens").as("tokens"),
  ]);
const toSpent = (row: Record<keyof Spent, number | string>): Spent => ({
  micros: Number(row.micros),
  runs: Number(row.runs),
  tokens: Number(row.tokens),
});

/** What each day cost, without those on which nothing was used; in order. */
export async function spentByDay(db: Reader, of: UsageOf, range: DayRange): Promise<(Spent & { day: string })[]> {
  const rows = await sums(inRange(db, of, range))
    .select("day")
    .groupBy("day")
    .orderBy("day")
    .execute();
  return rows.map((row) => ({ day: row.day, ...toSpent(row) }));
}

/** What each project, person, connection and model cost together, for the caller to add up as it is asked. */
export async function spentByAll(db: Reader, of: UsageOf, range: DayRange): Promise<(Spent & Record<Dimension, string>)[]> {
  const rows = await sums(inRange(db, of, range))
    .select(dimensions)
    .groupBy(dimensions)
    .execute();
  return rows.map(({ project_id, user_id, connection_id, model_id, ...row }) => ({
    project_id,
    user_id,
    connection_id,
    model_id,
    ...toSpent(row),
  }));
}

/** What open runs hold, and of it what nobody knows the outcome of. */
export async function heldNow(
  db: Reader,
  of: UsageOf,
): Promise<{ held: { runs: number; micros: number }; unconfirmed: { runs: number; micros: number } }> {
  let query = db.selectFrom("run").where("state", "in", literals(openStates));
  if (of !== "instance") query = query.where("project_id", "in", of);
  const rows = await query
    .select((e) => ["state", e.fn.countAll<number>().as("runs"), e.fn.sum<number | string>("held_micros").as("micros")])
    .groupBy("state")
    .execute();
  const sum = (states: typeof rows) => ({
    runs: states.reduce((total, row) => total + Number(row.runs), 0),
    micros: states.reduce((total, row) => total + Number(row.micros), 0),
  });
  return { held: sum(rows), unconfirmed: sum(rows.filter(({ state }) => state === "unknown")) };
}

/** The names of what usage rows speak of; what was removed has none. */
export async function namesOf(
  db: Reader,
  ids: { projects: readonly string[]; people: readonly string[]; connections: readonly string[] },
): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  const add = (rows: { id: string; name: string }[]): void => {
    for (const row of rows) named.set(row.id, row.name);
  };
  if (ids.projects.length > 0) add(await db.selectFrom("project").select(["id", "name"]).where("id", "in", ids.projects).execute());
  if (ids.people.length > 0) add(await db.selectFrom("user").select(["id", "name"]).where("id", "in", ids.people).execute());
  if (ids.connections.length > 0)
    add(await db.selectFrom("connection").select(["id", "name"]).where("id", "in", ids.connections).execute());
  return named;
}

const pageOfEntries = 1_000;

/** Every entry of the books that was written in a range, in order, so many at a time. `fromMs` included, `toMs` not. */
export async function* ledgerEntries(db: Reader, of: UsageOf, range: { fromMs: number; toMs: number }): AsyncGenerator<LedgerEntryRow[]> {
  for (let after = ""; ; ) {
    let query = db
      .selectFrom("ledger_entry")
      .selectAll()
      .where("at", ">=", range.fromMs)
      .where("at", "<", range.toMs)
      .where("id", ">", after);
    if (of !== "instance") query = query.where("project_id", "in", of);
    const rows = await query.orderBy("id").limit(pageOfEntries).execute();
    if (rows.length > 0) yield rows;
    if (rows.length < pageOfEntries) return;
    after = rows.at(-1)!.id;
  }
}

import { Readable } from "node:stream";
import type { Context } from "hono";
import type { LedgerEntryRow } from "#store/schema.ts";
import type { Reader } from "#store/store.ts";
import { type DayRange, heldNow, ledgerEntries, namesOf, type Spent, spentByAll, spentByDay, type UsageOf } from "#store/usage.ts";
import type { Env } from "./gate.ts";

const nothing: Spent = { micros: 0, runs: 0, tokens: 0 };
const add = (a: Spent, b: Spent): Spent => ({ micros: a.micros + b.micros, runs: a.runs + b.runs, tokens: a.tokens + b.tokens });
const unique = (values: readonly string[]): string[] => [...new Set(values)];

/** Spend and use of a range, by every question that the usage screen asks; each list dearest first. */
export async function usageOf(db: Reader, of: UsageOf, range: DayRange) {
  const [days, rows, open] = await Promise.all([spentByDay(db, of, range), spentByAll(db, of, range), heldNow(db, of)]);
  const names = await namesOf(db, {
    projects: unique(rows.map((row) => row.project_id)),
    people: unique(rows.map((row) => row.user_id)),
    connections: unique(rows.map((row) => row.connection_id)),
  });
  const by = (dimension: "project_id" | "user_id" | "connection_id") =>
    dearestFirst(sumBy(rows, (row) => row[dimension])).map(([id, { spent }]) => ({ id, name: names.get(id) ?? "", ...spent }));
  return {
    total: rows.reduce<Spent>(add, nothing),
    days,
    models: dearestFirst(sumBy(rows, (row) => `${row.connection_id} ${row.model_id}`)).map(([, { first, spent }]) => ({
      id: first.model_id,
      name: first.model_id,
      connectionId: first.connection_id,
      ...spent,
    })),
    projects: by("project_id"),
    people: by("user_id"),
    connections: by("connection_id"),
    ...open,
  };
}

type Sums<Row> = Map<string, { first: Row; spent: Spent }>;

function sumBy<Row extends Spent>(rows: readonly Row[], keyOf: (row: Row) => string): Sums<Row> {
  const sums: Sums<Row> = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = sums.get(key);
    if (sum) sum.spent = add(sum.spent, row);
    else sums.set(key, { first: row, spent: add(nothing, row) });
  }
  return sums;
}

const dearestFirst = <Row>(sums: Sums<Row>) =>
  [...sums].sort(([, a], [, b]) => b.spent.micros - a.spent.micros || b.spent.runs - a.spent.runs);

const columns = ["at", "kind", "micros", "dollars", "project", "person", "connection", "model", "run", "note"];

/** Every entry of the books in a range as CSV (RFC 4180), streamed; micros of spend, overage and adjust add up to what the screen shows. */
export function answerUsageCsv(c: Context<Env>, db: Reader, of: UsageOf, range: DayRange): Response {
  const fromMs = Date.parse(range.from);
  const toMs = Date.parse(range.to) + 24 * 60 * 60_000;
  async function* lines(): AsyncGenerator<string> {
    yield toLine(columns);
    for await (const entries of ledgerEntries(db, of, { fromMs, toMs })) {
      const names = await namesOf(db, {
        projects: unique(entries.map((entry) => entry.project_id)),
        people: unique(entries.map((entry) => entry.user_id)),
        connections: unique(entries.flatMap((entry) => entry.connection_id ?? [])),
      });
      yield entries.map((entry) => toLine(cellsOf(entry, names))).join("");
    }
  }
  return c.body(Readable.toWeb(Readable.from(lines())) as ReadableStream, 200, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="bottega-usage-${range.from}-to-${range.to}.csv"`,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
}

function cellsOf(entry: LedgerEntryRow, names: ReadonlyMap<string, string>): string[] {
  const name = (id: string | null): string => (id === null ? "" : (names.get(id) ?? id));
  return [
    new Date(entry.at).toISOString(),
    entry.kind,
    String(entry.micros),
    (entry.micros / 1_000_000).toFixed(6),
    name(entry.project_id),
    name(entry.user_id),
    name(entry.connection_id),
    entry.model_id ?? "",
    entry.run_id ?? "",
    entry.note ?? "",
  ];
}

const isNumber = /^-?\d+(\.\d+)?$/;
/** A cell that a table program would run as a formula is given a quote before it (OWASP, CSV injection). */
const isFormula = /^[=+\-@\t\r]/;

function toLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => {
    const safe = isFormula.test(cell) && !isNumber.test(cell) ? `'${cell}` : cell;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${quoted.join(",")}\r\n`;
}

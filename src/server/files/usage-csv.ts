import { Readable } from "node:stream";
import { stringify } from "csv-stringify/sync";
import type { Context } from "hono";
import { type DayRange, dayMs } from "#domain/money/usage-range.ts";
import { withoutFormula } from "#domain/text/csv-cell.ts";
import type { Lists } from "#engine/threads/lists/lists.ts";
import type { NamedEntry } from "#store/money/ledger-pages.ts";
import type { BooksReader } from "#store/money/names.ts";
import type { UsageOf } from "#store/money/runs-without-price.ts";
import type { Env } from "../env.ts";

const columns = [
  "at",
  "kind",
  "micros",
  "dollars",
  "project",
  "person",
  "connection",
  "model",
  "run",
  "note",
  "key",
];

/**
 * Streams the ledger entries of a range as CSV (RFC 4180). The micros of spend, overage and adjust
 * add up to the amounts on screen. Entries of runs hidden from the reader are summed by day, and
 * `note` counts runs of unknown cost.
 */
export function answerUsageCsv(
  c: Context<Env>,
  lists: Lists,
  of: UsageOf,
  reader: BooksReader,
  range: DayRange,
): Response {
  const { from, to } = range;
  return c.body(
    Readable.toWeb(Readable.from(usageLines(lists, of, reader, range))) as ReadableStream,
    200,
    {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="bottega-usage-${from}-to-${to}.csv"`,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  );
}

/** A row of the CSV. Null `micros` means unknown. */
type Line = Omit<NamedEntry, "id" | "isPrivate" | "micros"> & { micros: number | null };
const endOf = (day: string): number => Date.parse(day) + dayMs - 1;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

async function* usageLines(
  lists: Lists,
  of: UsageOf,
  reader: BooksReader,
  days: DayRange,
): AsyncGenerator<Uint8Array> {
  yield toCsv([columns]);
  const range = { fromMs: Date.parse(days.from), toMs: Date.parse(days.to) + dayMs };
  const sums = new DaySums();
  for (const { day, runs, ...names } of await lists.listWithoutPrice(of, reader, days))
    sums.add(day, { kind: "unpriced", ...names }, null, runs);
  let after: NamedEntry | null = null;
  for (let more = true; more; ) {
    const { entries, hasMore } = await lists.listLedgerEntries(of, reader, range, after);
    const lines: Line[] = [];
    for (const { id: _, isPrivate, ...entry } of entries) {
      const day = dayOf(entry.at);
      lines.push(...sums.takeBefore(day));
      if (isPrivate) sums.add(day, entry, entry.micros, 1);
      else lines.push(entry);
    }
    yield toCsv(lines.map(cellsOf));
    after = entries.at(-1) ?? null;
    more = hasMore;
  }
  const rest = sums.takeBefore("9999-12-31");
  yield toCsv(rest.map(cellsOf));
}

/** Lines that sum several entries of a day, each written at the day's end. */
class DaySums {
  private readonly lines = new Map<string, Map<string, Line & { runs: number }>>();

  add(
    day: string,
    line: Omit<Line, "at" | "micros" | "note" | "run" | "key">,
    micros: number | null,
    runs: number,
  ): void {
    const ofDay = this.lines.get(day) ?? new Map<string, Line & { runs: number }>();
    this.lines.set(day, ofDay);
    const { kind, project, person, connection, model } = line;
    const name = JSON.stringify([kind, project, person, connection, model]);
    const known = ofDay.get(name) ?? { runs: 0, micros: 0 };
    const count = known.runs + runs;
    ofDay.set(name, {
      ...{ at: endOf(day), kind, project, person, connection, model, run: "", key: "" },
      micros: micros === null ? null : (known.micros ?? 0) + micros,
      runs: count,
      note: micros === null ? `${count} without a price` : "private runs",
    });
  }

  takeBefore(day: string): Line[] {
    const days = [...this.lines.keys()].filter((one) => one < day).toSorted();
    const lines = days.flatMap((one) => [...(this.lines.get(one)?.values() ?? [])]);
    for (const one of days) this.lines.delete(one);
    return lines;
  }
}

const cellsOf = (line: Line): string[] => [
  new Date(line.at).toISOString(),
  line.kind,
  line.micros === null ? "" : String(line.micros),
  line.micros === null ? "" : (line.micros / 1_000_000).toFixed(6),
  line.project,
  line.person,
  line.connection,
  line.model,
  line.run,
  line.note,
  line.key,
];

export const toCsv = (rows: readonly string[][]): Uint8Array =>
  new TextEncoder().encode(
    stringify([...rows], { record_delimiter: "windows", cast: { string: withoutFormula } }),
  );

import { Readable } from "node:stream";
import type { Context } from "hono";
import { type DayRange, dayMs } from "#domain/usage-range.ts";
import type { Lists } from "#engine/lists/lists.ts";
import type { NamedEntry } from "#store/ledger-pages.ts";
import type { UsageOf } from "#store/usage.ts";
import type { Env } from "./gate.ts";

const columns = ["at", "kind", "micros", "dollars", "project", "person", "connection", "model", "run", "note", "key"];

/** Every entry of the books in a range as CSV (RFC 4180), streamed; micros of spend, overage and adjust add up to what the screen shows. */
export function answerUsageCsv(c: Context<Env>, lists: Lists, of: UsageOf, range: DayRange): Response {
  const { from, to } = range;
  return c.body(Readable.toWeb(Readable.from(usageLines(lists, of, range))) as ReadableStream, 200, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="bottega-usage-${from}-to-${to}.csv"`,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* usageLines(lists: Lists, of: UsageOf, { from, to }: DayRange): AsyncGenerator<Uint8Array> {
  yield encode(toLine(columns));
  const range = { fromMs: Date.parse(from), toMs: Date.parse(to) + dayMs };
  let after: NamedEntry | null = null;
  for (let more = true; more; ) {
    const { entries, hasMore } = await lists.listLedgerEntries(of, range, after);
    yield encode(entries.map((entry) => toLine(cellsOf(entry))).join(""));
    after = entries.at(-1) ?? null;
    more = hasMore;
  }
}

const cellsOf = (entry: NamedEntry): string[] => [
  new Date(entry.at).toISOString(),
  entry.kind,
  String(entry.micros),
  (entry.micros / 1_000_000).toFixed(6),
  entry.project,
  entry.person,
  entry.connection,
  entry.model,
  entry.run,
  entry.note,
  entry.key,
];

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

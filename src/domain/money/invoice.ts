import type { InvoiceColumn } from "#contract/filters/invoice-columns.ts";
import { readDollars } from "./money.ts";

/** Column positions, counted from 0. */
export type InvoiceColumns = Partial<Record<InvoiceColumn, number>>;

/** Column names of providers, most likely first; compared without case, spaces and punctuation. */
const names: Record<InvoiceColumn, readonly string[]> = {
  request: [
    "requestid",
    "generationid",
    "responseid",
    "predictionid",
    "jobid",
    "callid",
    "eventid",
    "request",
    "id",
  ],
  date: [
    "timestamp",
    "createdat",
    "billedat",
    "datetime",
    "date",
    "dateutc",
    "usagedate",
    "day",
    "time",
    "startedat",
    "starttime",
  ],
  model: [
    "endpointid",
    "model",
    "modelid",
    "modelname",
    "modelslug",
    "modelpermaslug",
    "endpoint",
    "sku",
    "product",
  ],
  cost: [
    ...[
      "costtotal",
      "totalcost",
      "costusd",
      "totalcostusd",
      "cost",
      "costintotal",
      "amountusd",
      "amount",
      "amountvalue",
    ],
    ...["charge", "charges", "totalusd", "total", "usd", "price", "usage"],
  ],
};
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Guesses the columns from their names. */
export function guessColumns(header: readonly string[]): InvoiceColumns {
  const written = header.map(plain);
  const guessed: InvoiceColumns = {};
  for (const column of Object.keys(names) as InvoiceColumn[]) {
    const known = names[column].find((name) => written.includes(name));
    if (known !== undefined) guessed[column] = written.indexOf(known);
  }
  return guessed;
}

/** The columns that a comparison needs: the cost, and either the request or day and model. */
export function missingColumns(columns: InvoiceColumns): InvoiceColumn[] {
  const needed: InvoiceColumn[] =
    columns.request === undefined ? ["date", "model", "cost"] : ["cost"];
  return needed.filter((column) => columns[column] === undefined);
}

const isoTime =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Parses an invoice's time to ms: ISO 8601 (UTC without a zone), or seconds or milliseconds since
 * 1970. Null for anything else: 01/02/2026 doesn't tell which number is the month.
 */
export function readTime(text: string): number | null {
  const trimmed = text.trim();
  if (/^\d{10}(\.\d+)?$/.test(trimmed)) return Math.floor(Number(trimmed) * 1_000);
  if (/^\d{13}$/.test(trimmed)) return Number(trimmed);
  const [, day, time = "00:00", zone = "Z"] = isoTime.exec(trimmed) ?? [];
  if (day === undefined) return null;
  const at = Date.parse(`${day}T${time}${/^utc$/i.test(zone) ? "Z" : zone.toUpperCase()}`);
  // Date.parse reads 2026-02-30 as a day in March.
  const isReal = !Number.isNaN(at) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
  return isReal ? at : null;
}

/**
 * A line of an invoice. `at` and `modelId` are set only if it has these columns. `micros` is exact,
 * as text.
 */
export type InvoiceLine = {
  requestId: string | null;
  at: number | null;
  modelId: string;
  micros: string;
};

/**
 * @returns null for a line without data to compare (a blank line, a total)
 * @throws InvoiceFault for an unreadable value
 */
export function readLine(
  cells: readonly string[],
  columns: InvoiceColumns,
  header: readonly string[],
): InvoiceLine | null {
  const cell = (column: InvoiceColumn): string =>
    columns[column] === undefined ? "" : (cells[columns[column]] ?? "").trim();
  const [requestId, date, modelId, cost] = [
    cell("request"),
    cell("date"),
    cell("model"),
    cell("cost"),
  ];
  const isNamed = columns.request === undefined ? date !== "" && modelId !== "" : requestId !== "";
  if (!isNamed || cost === "") return null;
  const nameOf = (column: InvoiceColumn): string => header[columns[column] ?? -1] ?? "";
  const micros = readDollars(cost);
  if (micros === null)
    throw new InvoiceFault(
      "cost",
      `“${cost.slice(0, 60)}” under “${nameOf("cost")}” is no amount of dollars like 1234.56`,
    );
  const at = date === "" ? null : readTime(date);
  if (date !== "" && at === null)
    throw new InvoiceFault(
      "date",
      `“${date.slice(0, 60)}” under “${nameOf("date")}” is no date like 2026-11-30`,
    );
  return { requestId: requestId || null, at, modelId, micros };
}

/** An unreadable value and its column. */
export class InvoiceFault extends Error {
  override readonly name = "InvoiceFault";
  readonly column: InvoiceColumn;
  constructor(column: InvoiceColumn, message: string) {
    super(message);
    this.column = column;
  }
}

import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CsvError, parse } from "csv-parse";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  guessColumns,
  type InvoiceColumns,
  InvoiceFault,
  type InvoiceLine,
  missingColumns,
  readLine,
} from "#domain/money/invoice.ts";

export type Invoice = {
  header: string[];
  columns: InvoiceColumns;
  missing: ReturnType<typeof missingColumns>;
  lines: InvoiceLine[];
  /** Lines without an amount to compare. */
  empty: number;
};

/**
 * Reads a CSV invoice whose first line names the columns. Columns that aren't chosen can be guessed
 * by name; if one is missing, no line is read.
 * @throws Problem too_large; invalid_input with the line, and with the column as field
 */
export async function readInvoice(
  source: AsyncIterable<Uint8Array>,
  chosen: InvoiceColumns,
  guess: boolean,
): Promise<Invoice> {
  const bytes = await readAll(source);
  const invoice: Invoice = { header: [], columns: chosen, missing: [], lines: [], empty: 0 };
  try {
    for await (const { record, info } of recordsOf(bytes)) {
      if (invoice.header.length === 0) begin(invoice, record, guess);
      else addLine(invoice, record, info.lines);
      if (invoice.missing.length > 0) return invoice;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Problem(
      "invalid_input",
      { message: `This CSV is broken. ${error.message.slice(0, 200)}` },
      { cause: error },
    );
  }
  if (invoice.header.length === 0)
    throw new Problem("invalid_input", { message: sentences.files.empty });
  return invoice;
}

type CsvRecord = { record: string[]; info: { lines: number } };

function recordsOf(bytes: Buffer): AsyncIterable<CsvRecord> {
  return Readable.from(piecesOf(bytes)).pipe(
    parse({
      bom: true,
      delimiter: delimiterOf(bytes),
      info: true,
      max_record_size: 100_000,
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  );
}

const pieceBytes = 65_536;

/**
 * Yields pieces and lets other work run between them. A stream of data in memory would block the
 * event loop until its end.
 */
async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await nextTurn();
  }
}

/** The separator that occurs most often in the first line. */
function delimiterOf(bytes: Buffer): string {
  const first = bytes.subarray(0, 10_000).toString().split(/\r?\n/, 1)[0] ?? "";
  const times = (sign: string) => first.split(sign).length;
  return [",", ";", "\t"].sort((a, b) => times(b) - times(a))[0] ?? ",";
}

function begin(invoice: Invoice, header: string[], guess: boolean): void {
  invoice.header = header.map((name) => name.trim().slice(0, limits.nameCharacters));
  invoice.columns = { ...(guess && guessColumns(header)), ...invoice.columns };
  const beyond = Object.entries(invoice.columns).find(([, place]) => place >= header.length);
  if (beyond)
    throw new Problem("invalid_input", {
      field: beyond[0],
      message: sentences.money.noSuchColumn,
    });
  if (header.length < 2)
    throw new Problem("invalid_input", {
      message: sentences.money.notCsv,
    });
  invoice.missing = missingColumns(invoice.columns);
}

function addLine(invoice: Invoice, cells: string[], line: number): void {
  if (invoice.lines.length >= limits.invoiceLines)
    throw new Problem("too_large", {
      message: sentences.money.tooManyLines({ most: limits.invoiceLines.toLocaleString("en") }),
    });
  try {
    const read = readLine(cells, invoice.columns, invoice.header);
    if (read) invoice.lines.push(read);
    else invoice.empty++;
  } catch (error) {
    if (!(error instanceof InvoiceFault)) throw error;
    throw new Problem(
      "invalid_input",
      {
        field: error.column,
        message: sentences.money.invoiceLine({ line, reason: error.message }),
      },
      { cause: error },
    );
  }
}

async function readAll(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > limits.invoiceBytes)
      throw new Problem("too_large", {
        message: sentences.money.tooLarge({ megabytes: limits.invoiceBytes / 1024 ** 2 }),
      });
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.includes(0))
    throw new Problem("invalid_input", {
      message: sentences.money.notText,
    });
  return bytes;
}

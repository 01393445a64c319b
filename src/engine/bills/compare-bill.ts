import { isKeyRefusal, Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { BillComparison } from "#contract/schemas/bills.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type BilledRequest,
  type ComparedRun,
  compareDays,
  compareRequests,
  type ModelDay,
} from "#domain/money/bills.ts";
import type { InvoiceColumns, InvoiceLine } from "#domain/money/invoice.ts";
import { sumToMicros } from "#domain/money/money.ts";
import { type DayRange, dayMs } from "#domain/money/usage-range.ts";
import { type BilledEvent, ProviderError } from "#providers/adapter.ts";
import { getConnection } from "#store/models/connections.ts";
import {
  type BookedRun,
  findRunsOfRequests,
  getBookedRuns,
  listBookedIds,
  listModelDays,
  listUnknownRuns,
} from "#store/money/bills.ts";
import { adapterOf, callContext, toProblem } from "../connections/open-connection.ts";
import type { EngineDeps } from "../deps.ts";

/** Long enough for a quarter's bill, which has dozens of pages. */
const readMs = 3 * 60_000;

/**
 * How far around the range the bill is read, because a run may be billed on the other side of
 * midnight.
 */
const edgeMs = dayMs;

/** Whether the person who compares may open a run. */
export type MayOpen = (run: Pick<BookedRun, "projectId" | "userId" | "visibility">) => boolean;

/**
 * Reads the provider's bill with a key that is neither stored nor logged, and compares it with the
 * ledger.
 * @param ask UTC days, both included
 * @throws Problem invalid_input with field "key" for a key that may not read bills, too_large, or
 *   the provider's error
 */
export async function compareBill(
  deps: EngineDeps,
  connectionId: string,
  ask: DayRange & { key: string },
  mayOpen: MayOpen,
): Promise<BillComparison> {
  const connection = await getConnection(deps.store.read, connectionId);
  if (!connection) throw new Problem("not_found");
  const adapter = await adapterOf(deps, connection.kind);
  if (!adapter.bills)
    throw new Problem("invalid_input", {
      message: sentences.money.billUnreadable({ provider: adapter.name }),
    });
  const signal = AbortSignal.timeout(readMs);
  const context = callContext(deps, adapter, { ...connection, sealedSecret: null }, signal);
  const withKey = { ...context, connection: { ...context.connection, secret: ask.key } };
  const { fromMs, toMs } = timesOf(ask);
  const events: BilledEvent[] = [];
  try {
    for await (const page of adapter.bills.list(
      { fromMs: fromMs - edgeMs, toMs: toMs + edgeMs },
      withKey,
    )) {
      events.push(...page);
      if (events.length > limits.billRequests) throw tooMany();
    }
  } catch (error) {
    if (error instanceof ProviderError && isKeyRefusal(error.code))
      throw new Problem(
        "invalid_input",
        { field: "key", message: sentences.money.billNotAllowed({ provider: adapter.name }) },
        { cause: error },
      );
    throw toProblem(
      signal.aborted ? new ProviderError("provider_timeout", "no", {}, { cause: error }) : error,
      connectionId,
    );
  }
  return { requests: await compareWithRuns(deps, connectionId, ask, events, mayOpen), days: null };
}

const tooMany = () =>
  new Problem("too_large", {
    message: sentences.money.billTooLong({ most: limits.billRequests.toLocaleString("en") }),
  });

/** Converts UTC days to times; the end is exclusive. */
const timesOf = ({ from, to }: DayRange) => ({
  fromMs: Date.parse(from),
  toMs: Date.parse(to) + dayMs,
});

export type InvoiceAsk = DayRange & {
  columns: InvoiceColumns;
  guess: boolean;
  source: AsyncIterable<Uint8Array>;
};

/**
 * Compares a provider's CSV invoice with the ledger.
 * @throws Problem too_large, invalid_input with the line
 */
export async function compareInvoice(
  deps: EngineDeps,
  connectionId: string,
  ask: InvoiceAsk,
  mayOpen: MayOpen,
) {
  const { readInvoice } = await import("./read-invoice.ts");
  const { header, columns, missing, lines, empty } = await readInvoice(
    ask.source,
    ask.columns,
    ask.guess,
  );
  const { fromMs, toMs } = timesOf(ask);
  const isInside = ({ at }: InvoiceLine): boolean => at === null || (at >= fromMs && at < toMs);
  const outside = lines.filter((line) => !isInside(line)).length;
  const answer = {
    header,
    columns,
    missing,
    lines: { read: lines.length - outside, outside, empty },
  };
  if (missing.length > 0) return { ...answer, comparison: null };
  if (columns.request === undefined) {
    const booked = await listModelDays(deps.store.read, connectionId, ask);
    const days = compareDays(
      daysOf(lines.filter(isInside)),
      booked.filter(({ micros }) => micros !== 0),
      limits.billRows,
    );
    return { ...answer, comparison: { requests: null, days } };
  }
  const events = lines.map(({ requestId, at, modelId, micros }) => ({
    requestId: requestId ?? "",
    at: at ?? fromMs,
    model: modelId,
    micros,
  }));
  return {
    ...answer,
    comparison: {
      requests: await compareWithRuns(deps, connectionId, ask, events, mayOpen),
      days: null,
    },
  };
}

async function compareWithRuns(
  { store }: EngineDeps,
  connectionId: string,
  range: DayRange,
  events: readonly BilledEvent[],
  mayOpen: MayOpen,
): Promise<BillComparison["requests"]> {
  const { fromMs, toMs } = timesOf(range);
  const billed = toRequests(events, ({ at }) => at >= fromMs && at < toMs);
  const known = await findRunsOfRequests(
    store.read,
    connectionId,
    billed.map(({ requestId }) => requestId),
  );
  const ids = await listBookedIds(store.read, connectionId, fromMs, toMs);
  const booked = await getBookedRuns(store.read, connectionId, ids);
  const show = (run: BookedRun): ComparedRun => ({ ...run, mayOpen: mayOpen(run) });
  const lost = await listUnknownRuns(store.read, connectionId);
  const lostRuns = new Map(
    (
      await getBookedRuns(
        store.read,
        connectionId,
        lost.map(({ runId }) => runId),
      )
    ).map((run) => [run.runId, mayOpen(run)]),
  );
  return compareRequests(
    {
      billed,
      known: known.map(show),
      booked: booked.map(show),
      lost: lost.map((run) => ({ ...run, mayOpen: lostRuns.get(run.runId) ?? false })),
      range: { fromMs, toMs },
    },
    limits.billRows,
  );
}

/**
 * Groups lines by request. Each request's lines are summed exactly and rounded up to a micro once,
 * like its booking.
 */
function toRequests(
  events: readonly BilledEvent[],
  isInRange: (event: BilledEvent) => boolean,
): BilledRequest[] {
  const lines = new Map<string, BilledEvent[]>();
  for (const event of events) {
    const others = lines.get(event.requestId);
    if (others) others.push(event);
    else lines.set(event.requestId, [event]);
  }
  return [...lines].map(([requestId, [first, ...rest]]) => ({
    requestId,
    modelId: first?.model ?? "",
    at: first?.at ?? 0,
    micros: sumOf([first, ...rest]),
    isInRange: [first, ...rest].some((event) => event !== undefined && isInRange(event)),
  }));
}

function daysOf(lines: readonly InvoiceLine[]): ModelDay[] {
  const groups = new Map<string, InvoiceLine[]>();
  for (const line of lines) {
    const key = `${dayOf(line.at)} ${line.modelId}`;
    const others = groups.get(key);
    if (others) others.push(line);
    else groups.set(key, [line]);
  }
  return [...groups.values()].map((group) => ({
    day: dayOf(group[0]?.at ?? null),
    modelId: group[0]?.modelId ?? "",
    micros: sumOf(group),
  }));
}

const dayOf = (at: number | null): string => new Date(at ?? 0).toISOString().slice(0, 10);

/** @throws Problem too_large for a sum beyond the range of safe integers */
function sumOf(lines: readonly ({ micros: string } | undefined)[]): number {
  const micros = sumToMicros(lines.map((line) => ({ units: "1", micros: line?.micros ?? "0" })));
  if (micros === null) throw new Problem("too_large", { message: sentences.money.amountTooLarge });
  return micros;
}

import type { RunState } from "#contract/entities.ts";
import type { BillComparison } from "#contract/schemas/bills.ts";
import { isFinal } from "../runs/run-machine.ts";

/** A provider's charge for one request, the sum of all its lines. Money is micro-dollars. */
export type BilledRequest = {
  requestId: string;
  modelId: string;
  at: number;
  micros: number;
  isInRange: boolean;
};

/** A run with its booked cost. */
export type ComparedRun = {
  runId: string;
  modelId: string;
  state: RunState;
  createdAt: number;
  bookedMicros: number;
  bookedAt: number | null;
  requestIds: readonly string[];
  /** Whether the person who compares may open the run. */
  mayOpen: boolean;
};

/** An unconfirmed run without a known provider ID. */
export type LostRun = { runId: string; modelId: string; sentAt: number; mayOpen: boolean };

/** A bill with request IDs, and the runs it is compared with. */
export type RequestsToCompare = {
  billed: readonly BilledRequest[];
  /** This connection's runs whose requests are on the bill. */
  known: readonly ComparedRun[];
  /** Runs whose cost was booked in the range; they can include some of `known`. */
  booked: readonly ComparedRun[];
  lost: readonly LostRun[];
  range: { fromMs: number; toMs: number };
};

/** The longest time between sending a request and the provider's charge. */
const lostMs = 24 * 60 * 60_000;

type Requests = NonNullable<BillComparison["requests"]>;

/**
 * Compares a bill with the ledger, run by run. Charges just outside the range (`isInRange` false)
 * show that a run at its edge was billed. They count only for a run that was also billed in the
 * range.
 * @param most rows of each list that are returned; all are counted
 */
export function compareRequests(given: RequestsToCompare, most: number): Requests {
  const runOf = new Map(
    given.known.flatMap((run) => run.requestIds.map((id) => [id, run] as const)),
  );
  const ofRun = new Map<ComparedRun, BilledRequest[]>();
  const strangers: BilledRequest[] = [];
  for (const request of given.billed) {
    const run = runOf.get(request.requestId);
    if (run) ofRun.set(run, [...(ofRun.get(run) ?? []), request]);
    else if (request.isInRange) strangers.push(request);
  }
  const compared = [...ofRun].filter(([, requests]) => requests.some(({ isInRange }) => isInRange));
  const rows = compared.map(([run, requests]) => toRow(run, requests));
  const ended = rows.filter(({ state }) => isFinal(state));
  const isBilled = new Set([...ofRun.keys()].map(({ runId }) => runId));
  const unbilled = given.booked
    .filter((run) => !isBilled.has(run.runId) && isCostOf(run, given.range))
    .map((run) => toRow(run, []));
  const free = new Set(given.lost);
  const strangersMicros = strangers.reduce((sum, { micros }) => sum + micros, 0);
  return {
    billed: {
      count: compared.reduce((sum, [, requests]) => sum + requests.length, strangers.length),
      micros: sumOf(rows, "billedMicros") + strangersMicros,
    },
    booked: {
      count: rows.length + unbilled.length,
      micros: sumOf(rows, "bookedMicros") + sumOf(unbilled, "bookedMicros"),
    },
    agreed: ended.filter((row) => row.billedMicros === row.bookedMicros).length,
    differing: toList(
      ended
        .filter((row) => row.billedMicros !== row.bookedMicros)
        .sort(widestFirst)
        .map(toShown),
      most,
      difference,
    ),
    unconfirmed: toList(
      rows.filter(({ state }) => state === "unconfirmed").map(toShown),
      most,
      (row) => row.billedMicros,
    ),
    underWay: rows.filter(({ state }) => !isFinal(state) && state !== "unconfirmed").length,
    unknown: {
      count: strangers.length,
      micros: strangersMicros,
      rows: strangers
        .sort((a, b) => a.at - b.at)
        .slice(0, most)
        .map(({ micros, isInRange: _, ...request }) => ({
          ...request,
          billedMicros: micros,
          maybe: takeLost(free, request),
        })),
    },
    unbilled: toList(unbilled.sort(widestFirst).map(toShown), most, (row) => row.bookedMicros),
  };
}

type Row = ReturnType<typeof toRow>;

function toRow(run: ComparedRun, requests: readonly BilledRequest[]) {
  return {
    runId: run.runId,
    mayOpen: run.mayOpen,
    requestId: requests[0]?.requestId ?? run.requestIds.at(-1) ?? null,
    modelId: run.modelId,
    at: requests[0]?.at ?? run.bookedAt ?? run.createdAt,
    billedMicros: requests.reduce((sum, { micros }) => sum + micros, 0),
    bookedMicros: run.bookedMicros,
    state: run.state,
  };
}

const toShown = ({ state: _, ...row }: Row) => row;

/** Whether the run's cost was first booked in the range. */
const isCostOf = (
  { bookedMicros, bookedAt }: ComparedRun,
  { fromMs, toMs }: RequestsToCompare["range"],
): boolean => bookedMicros > 0 && bookedAt !== null && bookedAt >= fromMs && bookedAt < toMs;

/**
 * The unconfirmed run that was sent last before a request of its model was billed. Each run is
 * matched once.
 */
function takeLost(
  free: Set<LostRun>,
  request: { modelId: string; at: number },
): { runId: string; mayOpen: boolean } | null {
  const fitting = [...free].filter(
    ({ modelId, sentAt }) =>
      modelId === request.modelId && sentAt <= request.at && request.at - sentAt <= lostMs,
  );
  const nearest = fitting.sort((a, b) => b.sentAt - a.sentAt)[0];
  if (!nearest) return null;
  free.delete(nearest);
  return { runId: nearest.runId, mayOpen: nearest.mayOpen };
}

const difference = (row: { billedMicros: number; bookedMicros: number }): number =>
  row.billedMicros - row.bookedMicros;
const widestFirst = (a: Row, b: Row): number => Math.abs(difference(b)) - Math.abs(difference(a));
const sumOf = (rows: readonly Row[], column: "billedMicros" | "bookedMicros"): number =>
  rows.reduce((sum, row) => sum + row[column], 0);

/** @param micros a row's contribution to the sum of its list */
const toList = <T>(rows: readonly T[], most: number, micros: (row: T) => number) => ({
  count: rows.length,
  micros: rows.reduce((sum, row) => sum + micros(row), 0),
  rows: rows.slice(0, most),
});

/** A model's cost on a UTC day. */
export type ModelDay = { day: string; modelId: string; micros: number };

/** Compares a bill without request IDs with the ledger, by day and model. */
export function compareDays(
  billed: readonly ModelDay[],
  booked: readonly ModelDay[],
  most: number,
): NonNullable<BillComparison["days"]> {
  const rows = new Map<
    string,
    { day: string; modelId: string; billedMicros: number; bookedMicros: number }
  >();
  const add = (
    { day, modelId, micros }: ModelDay,
    column: "billedMicros" | "bookedMicros",
  ): void => {
    const key = `${day} ${modelId}`;
    const row = rows.get(key) ?? { day, modelId, billedMicros: 0, bookedMicros: 0 };
    row[column] += micros;
    rows.set(key, row);
  };
  for (const one of billed) add(one, "billedMicros");
  for (const one of booked) add(one, "bookedMicros");
  const all = [...rows.values()];
  const differing = all.filter((row) => row.billedMicros !== row.bookedMicros);
  return {
    billed: { count: billed.length, micros: billed.reduce((sum, { micros }) => sum + micros, 0) },
    booked: { count: booked.length, micros: booked.reduce((sum, { micros }) => sum + micros, 0) },
    agreed: all.length - differing.length,
    differing: toList(
      differing.sort(
        (a, b) => Math.abs(difference(b)) - Math.abs(difference(a)) || a.day.localeCompare(b.day),
      ),
      most,
      difference,
    ),
  };
}

import { expect, it } from "vitest";
import {
  type BilledRequest,
  type ComparedRun,
  compareDays,
  compareRequests,
  type LostRun,
} from "./bills.ts";

const range = { fromMs: 1_000, toMs: 2_000 };
const request = (
  requestId: string,
  micros: number,
  facts: Partial<BilledRequest> = {},
): BilledRequest => ({
  requestId,
  modelId: "m",
  at: 1_500,
  micros,
  isInRange: true,
  ...facts,
});
const run = (
  runId: string,
  bookedMicros: number,
  requestIds: string[],
  facts: Partial<ComparedRun> = {},
): ComparedRun => ({
  runId,
  modelId: "m",
  state: "succeeded",
  createdAt: 1_400,
  bookedMicros,
  bookedAt: 1_500,
  requestIds,
  mayOpen: true,
  ...facts,
});
type BillCase = {
  billed?: BilledRequest[];
  known?: ComparedRun[];
  booked?: ComparedRun[];
  lost?: LostRun[];
};
const compare = ({ billed = [], known = [], booked = [], lost = [] }: BillCase, most = 10) =>
  compareRequests({ billed, known, booked, lost, range }, most);

it("runs agree if they were billed as booked, whatever their attempts were", () => {
  const known = [run("a", 30, ["r1", "r2"]), run("b", 5, ["r3"])];
  const told = compare({
    billed: [request("r1", 10), request("r2", 20), request("r3", 5)],
    known,
    booked: known,
  });
  expect(told).toMatchObject({
    agreed: 2,
    billed: { count: 3, micros: 35 },
    booked: { count: 2, micros: 35 },
  });
  for (const list of [told.differing, told.unconfirmed, told.unknown, told.unbilled])
    expect(list.count).toBe(0);
});

it("differences are listed largest first, and all are counted", () => {
  const known = [run("a", 10, ["r1"]), run("b", 10, ["r2"]), run("c", 10, ["r3"])];
  const told = compare(
    { billed: [request("r1", 11), request("r2", 0), request("r3", 15)], known, booked: known },
    2,
  );
  expect(told.differing).toMatchObject({ count: 3, micros: -4 });
  expect(told.differing.rows.map(({ runId, billedMicros }) => [runId, billedMicros])).toEqual([
    ["b", 0],
    ["c", 15],
  ]);
});

it("a run at the edge of the range counts as billed if its bill lies just outside", () => {
  const atEdge = run("a", 10, ["r1"]);
  const told = compare({
    billed: [request("r1", 10, { isInRange: false, at: 2_100 })],
    known: [atEdge],
    booked: [atEdge],
  });
  expect(told.unbilled.count).toBe(0);
  // The run counts in the range in which it was billed.
  expect(told).toMatchObject({ billed: { count: 0 }, booked: { count: 0 }, agreed: 0 });
  expect(compare({ billed: [request("r9", 10, { isInRange: false })] }).unknown.count).toBe(0);
});

it("runs booked in the range but on no bill are reported, except free ones and those booked earlier", () => {
  const booked = [run("a", 10, ["r1"]), run("b", 0, []), run("c", 7, [], { bookedAt: 500 })];
  expect(compare({ booked }).unbilled).toMatchObject({
    count: 1,
    micros: 10,
    rows: [{ runId: "a", requestId: "r1" }],
  });
});

it("a billed unconfirmed run is no difference to adopt, and neither is a running one", () => {
  const known = [
    run("a", 0, ["r1"], { state: "unconfirmed" }),
    run("b", 0, ["r2"], { state: "running" }),
  ];
  const told = compare({ billed: [request("r1", 10), request("r2", 10)], known });
  expect(told).toMatchObject({
    differing: { count: 0 },
    unconfirmed: { count: 1, micros: 10 },
    underWay: 1,
  });
});

it("a billed request of no known run is matched once to the last unconfirmed run of its model sent before it", () => {
  const lost = [
    { runId: "early", modelId: "m", sentAt: 1_100, mayOpen: true },
    { runId: "late", modelId: "m", sentAt: 1_300, mayOpen: false },
    { runId: "after", modelId: "m", sentAt: 1_900, mayOpen: true },
    { runId: "other", modelId: "n", sentAt: 1_300, mayOpen: true },
  ];
  const billed = [
    request("r1", 5, { at: 1_400 }),
    request("r2", 5, { at: 1_500 }),
    request("r3", 5, { at: 1_600 }),
  ];
  const told = compare({ billed, lost });
  expect(told.unknown.rows.map(({ maybe }) => maybe)).toEqual([
    { runId: "late", mayOpen: false },
    { runId: "early", mayOpen: true },
    null,
  ]);
});

it("days and models are compared in both directions", () => {
  const billed = [
    { day: "2026-11-01", modelId: "m", micros: 10 },
    { day: "2026-11-02", modelId: "m", micros: 5 },
  ];
  const booked = [
    { day: "2026-11-01", modelId: "m", micros: 10 },
    { day: "2026-11-02", modelId: "n", micros: 7 },
  ];
  expect(compareDays(billed, booked, 10)).toEqual({
    billed: { count: 2, micros: 15 },
    booked: { count: 2, micros: 17 },
    agreed: 1,
    differing: {
      count: 2,
      micros: -2,
      rows: [
        { day: "2026-11-02", modelId: "n", billedMicros: 0, bookedMicros: 7 },
        { day: "2026-11-02", modelId: "m", billedMicros: 5, bookedMicros: 0 },
      ],
    },
  });
});

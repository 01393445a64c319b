import { expect, it } from "vitest";
import type { Commit } from "#store/runs/unit.ts";
import { inSlices } from "./slices.ts";

const maxMs = 20;

/** The slices of a chore with this many rows, each of which takes its own time. */
async function slicesOf(count: number, msOf: (row: number) => number) {
  let now = 0;
  let done = 0;
  const slices: { rows: number; ms: number }[] = [];
  const commit: Commit = (work) => work({} as never);
  await inSlices({ commit, clock: { monotonic: () => now } }, async (_, most) => {
    const since = now;
    const end = Math.min(count, done + most);
    const rows = end - done;
    for (; done < end; done++) now += msOf(done);
    slices.push({ rows, ms: now - since });
    return rows === most;
  });
  expect(done).toBe(count);
  return slices;
}

it("fast rows are processed by the hundred", async () => {
  const slices = await slicesOf(10_000, () => 0);
  expect(Math.max(...slices.map(({ rows }) => rows))).toBe(500);
  expect(slices.length).toBeLessThan(30);
});

it.each([0.01, 0.1, 0.4, 1])(
  "no slice is longer than its limit allows if a row takes %f ms",
  async (ms) => {
    for (const slice of await slicesOf(2_000, () => ms))
      expect(slice.ms).toBeLessThanOrEqual(maxMs);
  },
);

it("if rows become ten times slower, one slice is long, and the next ones aren't", async () => {
  const slices = await slicesOf(2_000, (row) => (row < 1_000 ? 0.05 : 0.5));
  expect(slices.filter(({ ms }) => ms > maxMs).length).toBeLessThanOrEqual(2);
  expect(slices.at(-2)!.ms).toBeLessThanOrEqual(maxMs);
});

it("rows too slow for any slice are still removed", async () => {
  const slices = await slicesOf(20, () => 100);
  expect(slices.map(({ rows }) => rows)).toEqual([20, 0]);
});

import { expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import { countStates, groupBatches } from "./group-batches.ts";

const run = (id: string, batchId: string | null, state: Run["state"] = "succeeded") =>
  ({ id, batchId, state }) as Run;
const idsOf = (groups: readonly (readonly Run[])[]) =>
  groups.map((group) => group.map(({ id }) => id));

it("merges consecutive runs of a batch into one row, and no others", () => {
  const runs = [run("a", "x"), run("b", "x"), run("c", null), run("d", null), run("e", "x")];
  expect(idsOf(groupBatches(runs))).toEqual([["a", "b"], ["c"], ["d"], ["e"]]);
  expect(groupBatches([])).toEqual([]);
});

it("counts a batch by state", () => {
  const runs = [run("a", "x"), run("b", "x", "failed"), run("c", "x")];
  expect(countStates(runs).map(([{ state }, count]) => [state, count])).toEqual([
    ["succeeded", 2],
    ["failed", 1],
  ]);
});

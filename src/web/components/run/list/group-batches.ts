import type { Run } from "#contract/entities.ts";
import { groupBy } from "../../../data/group-by.ts";

/** Runs in their order, with those of a batch that stand in a row as one. */
export function groupBatches(runs: readonly Run[]): [Run, ...Run[]][] {
  const groups: [Run, ...Run[]][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last && run.batchId !== null && last[0].batchId === run.batchId) last.push(run);
    else groups.push([run]);
  }
  return groups;
}

/** How many of a batch are in each state, in the order in which they first come. */
export function countStates(runs: readonly Run[]): [Run, number][] {
  const byState = groupBy(runs, ({ state }) => state);
  return [...byState.values()].map((ofState) => [ofState[0]!, ofState.length]);
}

import type { Run } from "#contract/entities.ts";
import { groupBy } from "../../../data/group-by.ts";

/** Groups runs in their order; adjacent runs of a batch form one group. */
export function groupBatches(runs: readonly Run[]): [Run, ...Run[]][] {
  const groups: [Run, ...Run[]][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last && run.batchId !== null && last[0].batchId === run.batchId) last.push(run);
    else groups.push([run]);
  }
  return groups;
}

/** The number of a batch's runs in each state, ordered by first occurrence. */
export function countStates(runs: readonly Run[]): [Run, number][] {
  const byState = groupBy(runs, ({ state }) => state);
  return [...byState.values()].map((ofState) => [ofState[0]!, ofState.length]);
}

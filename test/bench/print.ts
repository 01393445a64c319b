import type { Bench } from "./bench.ts";
import { type Figure, round } from "./figures.ts";

const whatWidth = 74;
const valueWidth = 24;
const boundWidth = 20;

/** The measured machine, without which the figures mean nothing. */
export function machineLines({ machine, cores }: Bench): string[] {
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}; load average before the run ${round(machine.load)}`,
    `writing 4 KB and fsync on the data disk: ${machine.fsyncMs.toFixed(2)} ms (median of 200)`,
    cores.pinned
      ? "the server has one core, load and fake provider the other"
      : "nothing is pinned, because there is only one core or no taskset: the parts compete for CPU time",
    "",
    `${"what".padEnd(whatWidth)}${"measured".padEnd(valueWidth)}${"bound".padEnd(boundWidth)}met`,
  ];
}

export function figureLine({ what, value, bound, holds, note }: Figure): string {
  const verdict = holds === null ? "" : holds ? "yes" : "NO";
  return `${what.padEnd(whatWidth)}${value.padEnd(valueWidth)}${bound.padEnd(boundWidth)}${verdict.padEnd(5)}${note ? ` ${note}` : ""}`.trimEnd();
}

export function summaryLine(figures: readonly Figure[]): string {
  const count = (holds: boolean): number =>
    figures.filter((figure) => figure.holds === holds).length;
  const missing = figures.filter((figure) => figure.value.startsWith("not measured")).length;
  return `${count(true)} met, ${count(false)} missed, ${missing} could not be measured`;
}

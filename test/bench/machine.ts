import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { percentile } from "./figures.ts";

export type Machine = {
  cpu: string;
  cores: number;
  memoryGb: number;
  node: string;
  load: number;
  fsyncMs: number;
};

const writes = 200;
const blockBytes = 4096;

/** The time to write and fsync 4 KB, in ms: the median of 200, in the folder for the data. */
export function measureFsync(folder: string): number {
  const path = join(folder, "fsync-probe");
  const file = openSync(path, "w");
  const block = Buffer.alloc(blockBytes, 1);
  const took = Array.from({ length: writes }, (_, i) => {
    const since = performance.now();
    writeSync(file, block, 0, blockBytes, i * blockBytes);
    fsyncSync(file);
    return performance.now() - since;
  });
  closeSync(file);
  rmSync(path);
  return percentile(took, 0.5);
}

/**
 * The machine of the figures. `load` is the load average of the last minute, because other programs
 * may be running.
 */
export function lookAtMachine(folder: string): Machine {
  return {
    cpu: cpus()[0]?.model.trim() || "unknown CPU",
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    load: loadavg()[0] ?? 0,
    fsyncMs: measureFsync(folder),
  };
}

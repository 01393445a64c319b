import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const serverCore = "0";
const loadCore = "1";

/** The cores of the parts: the server has one, the load and the fake provider the other. */
export type Cores = {
  pinned: boolean;
  /** A prefix for the server's command. */
  serverPrefix: readonly string[];
  /** Pins this process and its future children to the load's core. */
  takeLoadCore(): void;
  /** Pins a running program to the server's core. */
  putOnServerCore(pid: number): void;
  /**
   * Releases this process and its future children to every core, for a browser, which isn't load.
   */
  takeAll(): void;
};

/**
 * Pins with `taskset` if it exists and there are two cores; otherwise nothing is pinned, and the
 * table says so.
 */
export function findCores(): Cores {
  const pinned = availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;
  const put = (list: string, pid: number): void => {
    if (pinned) spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", list, String(pid)]);
  };
  const all = `0-${availableParallelism() - 1}`;
  return {
    pinned,
    serverPrefix: pinned ? ["taskset", "--cpu-list", serverCore] : [],
    takeLoadCore: () => put(loadCore, process.pid),
    putOnServerCore: (pid) => put(serverCore, pid),
    takeAll: () => put(all, process.pid),
  };
}

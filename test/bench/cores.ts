import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const serverCore = "0";
const loadCore = "1";

/** Where the parts run: the server has one core, the load and the fake provider the other. */
export type Cores = {
  pinned: boolean;
  /** Words before the server's command. */
  serverPrefix: readonly string[];
  /** Puts this process and what it starts from now on on the load's core. */
  takeLoadCore(): void;
  /** Puts a program that runs already on the server's core. */
  putOnServerCore(pid: number): void;
  /** Gives this process and what it starts from now on every core: for a browser, which is no load. */
  takeAll(): void;
};

/** Pins with `taskset` where there is one and two cores; else nothing is pinned, and the table says so. */
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

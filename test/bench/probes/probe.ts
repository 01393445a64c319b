import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Bench } from "../bench.ts";
import type { BenchServer } from "../server.ts";

const maxTellMs = 30_000;
const pollMs = 10;

export type Probe = {
  /** Loads the probe into the server's Node. */
  nodeArg: string;
  /**
   * The probe's findings since the last call.
   * @throws Error if the server doesn't report them
   */
  ask(server: BenchServer): Promise<string>;
};

/**
 * A module of this folder that observes the server from inside, and writes its findings to `out` at
 * SIGUSR2.
 */
export function openProbe(bench: Bench, module: string): Probe {
  const out = join(bench.createFolder("probe"), "out");
  const url = pathToFileURL(join(import.meta.dirname, module));
  url.searchParams.set("out", out);
  return {
    nodeArg: `--import=${url.href}`,
    async ask(server) {
      rmSync(out, { force: true });
      process.kill(server.pid, "SIGUSR2");
      for (let waitedMs = 0; waitedMs < maxTellMs; waitedMs += pollMs) {
        const seen = existsSync(out) ? readFileSync(out, "utf8") : "";
        if (seen !== "") return seen;
        await sleep(pollMs);
      }
      throw new Error(`the server did not answer ${module}`);
    },
  };
}

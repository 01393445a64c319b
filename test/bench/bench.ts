import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cores, findCores } from "./cores.ts";
import { lookAtMachine, type Machine } from "./machine.ts";

/** What every row is measured with. */
export type Bench = {
  machine: Machine;
  cores: Cores;
  /** Arguments for the measured server's Node, for example --cpu-prof. */
  serverArgs: readonly string[];
  /** True: more samples, steadier figures, several minutes longer. */
  long: boolean;
  /** How long memory is watched. */
  minutes: number;
  /** The folder of another checkout, to be measured by turns with this one; null without `--other`. */
  other: string | null;
  /** Another gateway that runs already, to be measured by turns with the server; null without `--beside`. */
  peer: Peer | null;
  /** A new empty folder, removed at the end. */
  createFolder(name: string): string;
  /** Called at the end of the run, whatever happened. */
  onEnd(stop: () => Promise<void>): void;
  end(): Promise<void>;
};

/**
 * `url`: with `/v1` at its end. In the values of its headers `{provider}` stands for the fake provider's address.
 * `pid`: its process on this machine, for its memory and its core; null when it isn't told.
 */
export type Peer = { url: string; headers: Readonly<Record<string, string>>; pid: number | null };

/** @param options.folder where the data lie, and so whose fsync counts; by default the system's temporary folder */
export function createBench(options: {
  folder?: string;
  serverArgs: readonly string[];
  long: boolean;
  minutes: number;
  other: string | null;
  peer: Peer | null;
}): Bench {
  const folder = mkdtempSync(join(options.folder ?? tmpdir(), "bottega-bench-"));
  const stops: (() => Promise<void>)[] = [];
  return {
    machine: lookAtMachine(folder),
    cores: findCores(),
    serverArgs: options.serverArgs,
    long: options.long,
    minutes: options.minutes,
    other: options.other,
    peer: options.peer,
    createFolder: (name) => mkdtempSync(join(folder, `${name}-`)),
    onEnd: (stop) => void stops.push(stop),
    async end() {
      for (const stop of stops.splice(0))
        await stop().catch((error: unknown) => console.error(String(error)));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

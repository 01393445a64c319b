import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cores, findCores } from "./cores.ts";
import { lookAtMachine, type Machine } from "./machine.ts";

/** The environment shared by all rows. */
export type Bench = {
  machine: Machine;
  cores: Cores;
  /** Arguments for the measured server's Node, for example --cpu-prof. */
  serverArgs: readonly string[];
  /** True: more samples and steadier figures, at the cost of several minutes. */
  long: boolean;
  /** How long memory is measured. */
  minutes: number;
  /** The folder of another checkout, measured alternately with this one; null without `--other`. */
  other: string | null;
  /** Another running gateway, measured alternately with the server; null without `--beside`. */
  peer: Peer | null;
  /** A new empty folder, removed at the end. */
  createFolder(name: string): string;
  /** Registers a cleanup for the end of the run, whatever happens. */
  onEnd(stop: () => Promise<void>): void;
  end(): Promise<void>;
};

/**
 * `url` ends with `/v1`. In header values, `{provider}` stands for the fake provider's address.
 * `pid` is its process on this machine, for its memory and its core; null if it isn't given.
 */
export type Peer = { url: string; headers: Readonly<Record<string, string>>; pid: number | null };

/**
 * @param options.folder the folder for the data, whose fsync is measured; by default the system's
 *   temporary folder
 */
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

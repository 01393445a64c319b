import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { serverArgs } from "../../scripts/server-args.mjs";
import { findFreePort } from "../support/server/free-port.ts";
import type { Cores } from "./cores.ts";

const root = join(import.meta.dirname, "..", "..");
const startLimitMs = 30_000;

export type BenchServer = {
  url: string;
  pid: number;
  /** From the spawn to the first 200 of /healthz, in ms. */
  startMs: number;
  /** The setup link's code; null if there is an owner. */
  setupCode(): Promise<string | null>;
  /** Current and peak resident memory, in MB; NaN without /proc. */
  memoryMb(): { now: number; most: number };
  /**
   * The main thread's running time so far, and its waiting time for a core, in ms; NaN without
   * /proc.
   */
  coreTime(): CoreTime;
  /** The running time of all threads so far, in ms; NaN without /proc. */
  cpuMs(): number;
  stop(): Promise<void>;
  /** SIGKILL: no handler of the server runs. */
  kill9(): Promise<void>;
};

export type CoreTime = { ranMs: number; waitedMs: number };

/**
 * Starts the built server (dist/main.js) like `npm start`, on its core.
 * @param options.nodeArgs more arguments for Node, for example --cpu-prof
 * @throws Error with its output if it ends or isn't healthy within 30 s
 */
export async function startBuiltServer(
  cores: Cores,
  options: {
    dataFolder: string;
    nodeArgs?: readonly string[];
    /** Replaces the file in the data folder by PostgreSQL. */
    databaseUrl?: string | undefined;
  },
): Promise<BenchServer> {
  const port = await findFreePort();
  const args = [
    process.execPath,
    ...(options.nodeArgs ?? []),
    ...serverArgs,
    `--import=${pathToFileURL(join(root, "scripts", "stop-with-launcher.mjs")).href}`,
    join(root, "dist", "main.js"),
  ];
  const [command, ...rest] = [...cores.serverPrefix, ...args];
  const settings = {
    HOST: "127.0.0.1",
    PORT: String(port),
    BOTTEGA_DATA: options.dataFolder,
    BOTTEGA_LOG: "warn",
    ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
  };
  const since = performance.now();
  const child = spawn(command!, rest, {
    cwd: options.dataFolder,
    env: { ...ownEnvironment(), ...settings },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null || performance.now() - since > startLimitMs) {
      child.kill("SIGKILL");
      throw new Error(`The server did not start; it said:\n${output}`);
    }
    await sleep(2);
  }
  const startMs = performance.now() - since;
  return {
    url,
    pid: child.pid!,
    startMs,
    async setupCode() {
      // The link is printed right after the port is open.
      while (!/listens on/.test(output)) await sleep(5);
      await sleep(20);
      return /#code=(\S+)/.exec(output)?.[1] ?? null;
    },
    memoryMb: () => memoryOf(child.pid!),
    coreTime: () => coreTimeOf(child.pid!),
    cpuMs: () => cpuMsOf(child.pid!),
    async kill9() {
      child.kill("SIGKILL");
      await ended(child);
    },
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await ended(child);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** The machine's environment, without variables that a person or npm may have set for a server. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const isForeign = (name: string): boolean =>
    /^(npm_|BOTTEGA_|AWS_|NODE_)/.test(name) ||
    ["PUBLIC_URL", "DATABASE_URL", "BLOB_URL"].includes(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isForeign(name)));
}

function isHealthy(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(`${url}/healthz`, { agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on("error", () => resolve(false));
    asked.end();
  });
}

/** A process's current and peak resident memory, in MB; NaN without /proc. */
export function memoryOf(pid: number): { now: number; most: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const megabytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
    return { now: megabytes("VmRSS"), most: megabytes("VmHWM") };
  } catch {
    // Only Linux reports it; elsewhere the rows state that it wasn't measured.
    return { now: Number.NaN, most: Number.NaN };
  }
}

function cpuMsOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => {
      const ranNs = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0];
      return sum + Number(ranNs) / 1e6;
    }, 0);
  } catch {
    // As above.
    return Number.NaN;
  }
}

function coreTimeOf(pid: number): CoreTime {
  try {
    const [ranNs = Number.NaN, waitedNs = Number.NaN] = readFileSync(
      `/proc/${pid}/schedstat`,
      "utf8",
    )
      .split(" ")
      .map(Number);
    return { ranMs: ranNs / 1e6, waitedMs: waitedNs / 1e6 };
  } catch {
    // As above.
    return { ranMs: Number.NaN, waitedMs: Number.NaN };
  }
}

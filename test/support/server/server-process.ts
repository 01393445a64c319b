import { type ChildProcess, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { noFfmpeg } from "../no-ffmpeg.ts";
import { patienceMs } from "../patience.ts";
import { compiledBeside, serverScript } from "./server-script.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

type ProcessEnd = { code: number | null; signal: NodeJS.Signals | null };

export type ServerProcess = {
  /** The address at which it listens, without a trailing slash. */
  url: string;
  /** The one-time setup link; null if there is an owner already. */
  setupLink: string | null;
  child: ChildProcess;
  /** SIGKILL: no handler of the server runs. Resolves when the process is gone. */
  kill9(): Promise<void>;
  /** Sends the signal (SIGTERM by default) and resolves with how the process ended. */
  stop(signal?: NodeJS.Signals): Promise<ProcessEnd>;
  /** Resolves with how the process ended, for any reason. */
  ended: Promise<ProcessEnd>;
  /** All output so far, stdout and stderr interleaved. */
  output(): string;
};

export type ServerOptions = {
  dataFolder: string;
  /**
   * Settings besides HOST, PORT and BOTTEGA_DATA, such as DATABASE_URL or BLOB_URL; also PORT, if
   * it has to stay the same or with a PUBLIC_URL.
   */
  env?: Record<string, string | undefined>;
  args?: string[];
  /** A command prefix. */
  inside?: readonly string[];
  /** A failpoint may end it before it is healthy. */
  mayEnd?: boolean;
  /** Replaces the bundle. */
  script?: string;
};

/**
 * The machine's environment, without variables that a person, npm or Vitest may have set for a
 * server.
 */
export function baseEnvironment(): Record<string, string | undefined> {
  const isForeign = (name: string) =>
    /^(npm_|VITEST|BOTTEGA_|AWS_)/.test(name) ||
    [
      "NODE_ENV",
      "TEST",
      "DEV",
      "PROD",
      "MODE",
      "PORT",
      "HOST",
      "PUBLIC_URL",
      "DATABASE_URL",
      "BLOB_URL",
      "NODE_OPTIONS",
    ].includes(name);
  const own = Object.entries(process.env).filter(([name]) => !isForeign(name));
  return { ...Object.fromEntries(own), BOTTEGA_FFMPEG: noFfmpeg };
}

async function untilHealthy(url: string, isGone: () => boolean, endMs: number): Promise<void> {
  while (!isGone() && Date.now() < endMs) {
    const status = await fetch(`${url}/healthz`).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      () => 0,
    );
    if (status === 200) return;
    await wait(20);
  }
}

/**
 * Starts the real server on 127.0.0.1 and waits until /healthz answers 200.
 * @throws Error with its output if it ends or doesn't become healthy
 */
export async function startServer({
  dataFolder,
  env = {},
  args = [],
  inside = [],
  mayEnd = false,
  script,
}: ServerOptions): Promise<ServerProcess> {
  const main = script ?? (await serverScript());
  const preload = pathToFileURL(join(root, "scripts", "stop-with-launcher.mjs")).href;
  const [command = "", ...words] = [
    ...inside,
    process.execPath,
    `--import=${preload}`,
    main,
    ...args,
  ];
  const child = spawn(command, words, {
    cwd: dataFolder,
    env: {
      ...baseEnvironment(),
      ...compiledBeside(main),
      HOST: "127.0.0.1",
      PORT: "0",
      BOTTEGA_DATA: dataFolder,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8");
    stream?.on("data", (chunk: string) => {
      text += chunk;
    });
  }
  let hasFailed = false;
  child.on("error", () => {
    hasFailed = true;
  });
  // "close" instead of "exit", because all output has been read by then.
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }));
  });
  const isGone = () => hasFailed || child.exitCode !== null || child.signalCode !== null;

  const endMs = Date.now() + patienceMs;
  // Its own statement of its public address, if it has one.
  const own = env.PUBLIC_URL && `http://127.0.0.1:${env.PORT}`;
  const listening = () => {
    const address = /listens on (https?:\/\/\S+?)\/?\s/.exec(text)?.[1];
    return address && (own || address);
  };
  while (!isGone() && listening() === undefined && Date.now() < endMs) await wait(10);
  const url = listening();
  if (url !== undefined) await untilHealthy(url, isGone, endMs);
  // A server meant to die may do so before it reports its address.
  if (!(mayEnd && isGone()) && (url === undefined || isGone() || Date.now() >= endMs)) {
    child.kill("SIGKILL");
    const { code, signal } = await ended;
    throw new Error(`The server did not start (code ${code}, signal ${signal}); it said:\n${text}`);
  }
  return {
    url: url ?? "",
    get setupLink() {
      return /Set up here, once: (\S+)/.exec(text)?.[1] ?? null;
    },
    child,
    ended,
    kill9: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
    output: () => text,
  };
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Cores } from "./cores.ts";

export type Program = { url: string; pid: number; stop(): Promise<void> };

/**
 * @param options.stamped each word contains its send time: `<index>:<ns of the system's clock> `
 */
export type ProviderOptions = {
  tokens: number;
  firstTokenMs: number;
  betweenMs: number;
  stamped?: boolean;
};

/**
 * Starts the fake provider in a separate process, which inherits the load's core, with a number of
 * words and their interval.
 */
export const startProvider = (options: ProviderOptions): Promise<Program> =>
  startProgram([
    process.execPath,
    join(import.meta.dirname, "..", "simulators", "openai-compatible.ts"),
    "--tokens",
    String(options.tokens),
    "--first-token-ms",
    String(options.firstTokenMs),
    "--between-ms",
    String(options.betweenMs),
    ...(options.stamped ? ["--stamped"] : []),
  ]);

/** Starts a bare relay in front of the provider, on the server's core. */
export const startRelay = (cores: Cores, providerUrl: string): Promise<Program> =>
  startProgram([
    ...cores.serverPrefix,
    process.execPath,
    join(import.meta.dirname, "relay.mjs"),
    providerUrl,
  ]);

/**
 * Starts a program that prints its address as its first line, and ends with SIGTERM.
 * @throws Error if it ends before that
 */
export async function startProgram([command, ...args]: readonly string[]): Promise<Program> {
  const child = spawn(command!, args, { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("exit", () => reject(new Error(`${args[0]} did not start.`)));
  });
  return {
    url,
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

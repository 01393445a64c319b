import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export type Provider = { url: string; stop(): Promise<void> };

const program = join(import.meta.dirname, "..", "simulators", "openai-compatible.ts");

/** The fake provider in a process of its own, which inherits the load's core: so many words, so far apart. */
export async function startProvider(timing: {
  tokens: number;
  firstTokenMs: number;
  betweenMs: number;
}): Promise<Provider> {
  const child = spawn(
    process.execPath,
    [
      program,
      "--tokens",
      String(timing.tokens),
      "--first-token-ms",
      String(timing.firstTokenMs),
      "--between-ms",
      String(timing.betweenMs),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("exit", () => reject(new Error("The fake provider did not start.")));
  });
  return {
    url,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

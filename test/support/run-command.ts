import { spawn } from "node:child_process";
import { join } from "node:path";
import { baseEnvironment } from "./server-process.ts";
import { createTempFolder } from "./temp.ts";

const main = join(import.meta.dirname, "..", "..", "src", "main.ts");
export type Ended = { code: number | null; stdout: string; stderr: string };

/** Runs `bottega <args>` as a process of its own, beside the server. `inside`: words before the command, what it is started inside of. */
export async function runBottega(
  args: readonly string[],
  env: Record<string, string | undefined> = {},
  inside: readonly string[] = [],
): Promise<Ended> {
  const [command = "", ...words] = [...inside, process.execPath, main, ...args];
  const child = spawn(command, words, {
    cwd: createTempFolder("cwd"),
    env: { ...baseEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      said[name] += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, ...said };
}

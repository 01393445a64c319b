import { spawn } from "node:child_process";
import { createTempFolder } from "../temp.ts";
import { baseEnvironment } from "./server-process.ts";
import { compiledBeside, serverScript } from "./server-script.ts";

export type Ended = { code: number | null; stdout: string; stderr: string };

/** Runs `bottega <args>` as a process of its own, beside the server. `inside`: words before the command, what it is started inside of. */
export async function runBottega(
  args: readonly string[],
  env: Record<string, string | undefined> = {},
  inside: readonly string[] = [],
): Promise<Ended> {
  const script = await serverScript();
  const [command = "", ...words] = [...inside, process.execPath, script, ...args];
  const child = spawn(command, words, {
    cwd: createTempFolder("cwd"),
    env: { ...baseEnvironment(), ...compiledBeside(script), ...env },
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

import { spawn } from "node:child_process";
import { runCommand } from "../../../src/commands/run-command.ts";
import { createTempFolder } from "../temp.ts";
import { baseEnvironment } from "./server-process.ts";
import { compiledBeside, serverScript } from "./server-script.ts";

export type Ended = { code: number | null; stdout: string; stderr: string };

/** Runs `bottega <args>` in a separate process next to the server. `inside` is a command prefix. */
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
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      output[name] += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, ...output };
}

/**
 * Runs a command in the test's process, because starting another takes longer than most commands.
 * Not for a bucket, whose keys are per process.
 */
export async function runBottegaHere(
  [name = "", ...args]: readonly string[],
  env: Record<string, string | undefined> = {},
): Promise<Ended> {
  const output: Record<"stdout" | "stderr", string[]> = { stdout: [], stderr: [] };
  const code = await runCommand(name, args, {
    env: { ...baseEnvironment(), ...env },
    say: (line) => output.stdout.push(`${line}\n`),
    tell: (line) => output.stderr.push(`${line}\n`),
  });
  return { code, stdout: output.stdout.join(""), stderr: output.stderr.join("") };
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { baseEnvironment } from "../support/server/server-process.ts";
import type { SoakStudio } from "./studio.ts";

const main = join(import.meta.dirname, "..", "..", "src", "main.ts");

/**
 * The findings of `bottega doctor --deep`: balances against the ledger, files against rows, runs
 * without an owner.
 */
export async function examine(studio: SoakStudio): Promise<string[]> {
  const child = spawn(process.execPath, [main, "doctor", "--deep", "--json"], {
    cwd: studio.dataFolder,
    env: { ...baseEnvironment(), BOTTEGA_DATA: studio.dataFolder, ...studio.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let complained = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complained += text;
  });
  const [code] = await once(child, "close");
  if (code === 0) return [];
  try {
    const { checks } = JSON.parse(said) as {
      checks: { check: string; findings: { text: string }[] }[];
    };
    return checks.flatMap(({ check, findings }) =>
      findings.map(({ text }) => `doctor, ${check}: ${text}`),
    );
  } catch {
    return [`the doctor ended with ${code}: ${said}${complained}`];
  }
}

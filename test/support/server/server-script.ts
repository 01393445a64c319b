import { join } from "node:path";

export const sourceScript = join(import.meta.dirname, "..", "..", "..", "src", "main.ts");

/**
 * The script that tests start as the server or a command: this run's bundle, or the source outside
 * of a test run.
 */
export async function serverScript(): Promise<string> {
  if (!process.env.VITEST) return sourceScript;
  const { askRun } = await import("../contracts/run-context.ts");
  return askRun("server");
}

/** The environment variable for the bundle's compiled code. Empty for the source. */
export const compiledBeside = (script: string): { NODE_COMPILE_CACHE?: string } =>
  script === sourceScript ? {} : { NODE_COMPILE_CACHE: join(script, "..", "compiled") };

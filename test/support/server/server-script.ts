import { join } from "node:path";

export const sourceScript = join(import.meta.dirname, "..", "..", "..", "src", "main.ts");

/** What a test starts as the server or a command: the bundle of this run's source; outside a run of tests the source itself. */
export async function serverScript(): Promise<string> {
  if (!process.env.VITEST) return sourceScript;
  const { askRun } = await import("../contracts/run-context.ts");
  return askRun("server");
}

/** Where the scripts of the bundle keep their compiled code, as an environment. Empty for the source. */
export const compiledBeside = (script: string): { NODE_COMPILE_CACHE?: string } =>
  script === sourceScript ? {} : { NODE_COMPILE_CACHE: join(script, "..", "compiled") };

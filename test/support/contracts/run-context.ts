import { inject } from "vitest";

/**
 * The requests to the run's own process: the URL of a fresh PostgreSQL database, empty or with the
 * newest schema; the path of an SQLite file with the newest schema, to be copied; the path of the
 * bundled server's script.
 */
export type RunNeed = "database" | "migrated-database" | "migrated-file" | "server";

/**
 * The values that global-setup.ts passes to every test file of a run, through Vitest's `provide`
 * and `inject`.
 */
type RunContext = {
  /** A folder for this run, removed when the run ends. */
  runFolder: string;
  /** The address for `askRun`. */
  runServiceUrl: string;
};

declare module "vitest" {
  interface ProvidedContext extends RunContext {}
}

/** @throws Error with the reason that it isn't available */
export async function askRun(need: RunNeed): Promise<string> {
  const response = await fetch(`${inject("runServiceUrl")}/${need}`, { method: "POST" });
  const text = await response.text();
  if (!response.ok) throw new Error(`This run has no ${need} for its tests: ${text}`);
  return text;
}

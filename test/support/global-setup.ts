import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startDatabaseService } from "./database-service.ts";
import "./run-context.ts";

/** Runs once for all projects of a run, in Vitest's main process: what dies with a worker would be left behind. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runFolder = await mkdtemp(join(tmpdir(), "bottega-run-"));
  // Ctrl-C ends Vitest without the teardown below.
  process.once("exit", () => rmSync(runFolder, { recursive: true, force: true }));
  const databases = await startDatabaseService();
  project.provide("runFolder", runFolder);
  project.provide("databaseServiceUrl", databases.url);
  return async () => {
    await databases.stop();
    await rm(runFolder, { recursive: true, force: true, maxRetries: 3 });
  };
}

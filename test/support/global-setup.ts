import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { createMigratedDatabases } from "./databases/migrated.ts";
import { forShortLives, type PostgresCluster, startPostgres } from "./databases/postgres.ts";
import { startRunService } from "./server/run-service.ts";
import { createServerBundle } from "./server/server-bundle.ts";

/**
 * Runs once for all projects of a test run, in Vitest's main process, because a dying worker would
 * leave these processes behind.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runFolder = await mkdtemp(join(tmpdir(), "bottega-run-"));
  // Ctrl-C ends Vitest without the teardown below.
  process.once("exit", () => rmSync(runFolder, { recursive: true, force: true }));
  let cluster: Promise<PostgresCluster> | undefined;
  const openCluster = () => (cluster ??= startPostgres(forShortLives));
  const migrated = createMigratedDatabases({ folder: runFolder, openCluster });
  const bundle = createServerBundle();
  const service = await startRunService({
    database: async () => (await openCluster()).createDatabase(),
    "migrated-database": migrated.createDatabase,
    "migrated-file": migrated.file,
    server: bundle.script,
  });
  project.provide("runFolder", runFolder);
  project.provide("runServiceUrl", service.url);
  return async () => {
    service.stop();
    await (await cluster?.catch(() => undefined))?.stop();
    await bundle.remove();
    await rm(runFolder, { recursive: true, force: true, maxRetries: 3 });
  };
}

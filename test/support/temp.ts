import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import "./contracts/run-context.ts";

/** A new empty folder. It is removed with the run, even if the test's process is killed. */
export function createTempFolder(name = "folder"): string {
  return mkdtempSync(join(inject("runFolder"), `${name}-`));
}

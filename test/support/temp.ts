import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import "./contracts/run-context.ts";

/** A new empty folder. It goes away with the run, even when the test's process was killed. */
export function createTempFolder(name = "folder"): string {
  return mkdtempSync(join(inject("runFolder"), `${name}-`));
}

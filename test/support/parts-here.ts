import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "./browser/chromium.ts";
import { findPostgres } from "./databases/postgres-binaries.ts";

/**
 * Prints as JSON the real dependencies of tests that start on this machine; `npm test` leaves out
 * tests that need another.
 */
const scratchFolder = await mkdtemp(join(tmpdir(), "bottega-parts-"));
process.once("exit", () => rmSync(scratchFolder, { recursive: true, force: true }));

const starts = (part: Promise<unknown>): Promise<boolean> =>
  part.then(
    () => true,
    () => false,
  );

const [postgres, chromium] = await Promise.all([
  starts(findPostgres(scratchFolder)),
  starts(launchBrowser().then((browser) => browser.close())),
]);
process.stdout.write(JSON.stringify({ postgres, chromium }));

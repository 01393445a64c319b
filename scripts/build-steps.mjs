import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./environment.mjs";
import { compareFingerprints, fingerprint, readStamp } from "./fingerprint.mjs";

const isTest = (path) => /\.test\.tsx?$|\/__snapshots__\//.test(path);

/**
 * The build steps: the inputs of each, and the file that shows that it was built. A change in a
 * step's shared inputs (the packages, the builder itself) rebuilds the whole step.
 */
export const BUILD_STEPS = {
  server: {
    from: ["src", "scripts/build-server.mjs"],
    isWanted: (path) => !path.startsWith("src/web/") && !isTest(path) && !path.endsWith(".d.ts"),
    isShared: (path) => path.startsWith("scripts/"),
    proof: "dist/main.js",
  },
  client: {
    from: [
      "src/commands/client",
      "src/contract",
      "src/domain",
      "scripts/build-client.mjs",
      "package-lock.json",
    ],
    isWanted: (path) => !isTest(path),
    isShared: () => true,
    proof: "dist/cli.mjs",
  },
  web: {
    from: ["src/web", "src/contract", "src/domain", "vite.config.ts", "package-lock.json"],
    isWanted: (path) => !isTest(path),
    isShared: () => true,
    proof: "dist/web/index.html",
  },
};

/**
 * Compares a step with its last run.
 * @param {keyof typeof BUILD_STEPS} name
 * @returns {{ isCurrent: boolean, isWhole: boolean, now: import("./fingerprint.mjs").Fingerprint,
 *   changed: string[], gone: string[] }} isWhole: everything has to be rebuilt
 */
export function lookAtStep(name) {
  const step = BUILD_STEPS[name];
  const stamp = readStamp(name);
  const before = existsSync(join(root, step.proof)) ? stamp : {};
  const now = fingerprint(step.from, step.isWanted, stamp);
  const { changed, gone } = compareFingerprints(before, now);
  const isCurrent = changed.length === 0 && gone.length === 0;
  return { isCurrent, isWhole: [...changed, ...gone].some(step.isShared), now, changed, gone };
}

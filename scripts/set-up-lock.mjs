import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "./environment.mjs";
import { withProgress } from "./progress.mjs";

const path = join(root, ".runtime", "set-up.pid");

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Writes our process id, unless a living process holds the lock. A file left by one that was killed is taken over. */
function take() {
  mkdirSync(join(root, ".runtime"), { recursive: true });
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    const holder = Number(readFileSync(path, "utf8"));
    if (holder && isAlive(holder)) return false;
    rmSync(path, { force: true });
    return take();
  }
}

/**
 * Lets one set-up at a time change this checkout: `npm start` beside `npm test` would remove node_modules under the other's feet.
 * @param {() => Promise<void>} work
 */
export async function withSetUpLock(work) {
  if (!take()) {
    await withProgress("waiting for another set-up of this checkout", async () => {
      while (!take()) await wait(200);
    });
  }
  const release = () => rmSync(path, { force: true });
  process.on("exit", release);
  try {
    await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

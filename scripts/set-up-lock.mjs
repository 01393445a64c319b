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

/**
 * Writes this process's id, unless a living process holds the lock. A killed process's file is
 * taken over.
 */
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
 * Allows one setup at a time in this checkout: otherwise `npm start` and `npm test` could remove
 * each other's node_modules.
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

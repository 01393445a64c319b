import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { root } from "./environment.mjs";

/**
 * A build step's inputs: each file's path (from the checkout, with slashes), size, time and hash.
 * @typedef {Record<string, { size: number, mtimeMs: number, sha256: string }>} Fingerprint
 */

function listFiles(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inside = join(path, entry.name);
    return entry.isDirectory() ? listFiles(inside) : [inside];
  });
}

/**
 * Fingerprints files and whole folders. A file with the size and time in `before` isn't read again,
 * so a start without changes only takes 400 stats. The hash decides, so a fresh checkout of the
 * same text rebuilds nothing.
 * @param {string[]} paths from the checkout
 * @param {(path: string) => boolean} isWanted
 * @param {Fingerprint} before
 * @returns {Fingerprint}
 */
export function fingerprint(paths, isWanted, before) {
  const files = paths.flatMap((path) => listFiles(join(root, path)));
  const entries = files.map((file) => {
    const { size, mtimeMs } = statSync(file);
    const name = relative(root, file).split(sep).join("/");
    if (!isWanted(name)) return null;
    const known = before[name];
    if (known && known.size === size && known.mtimeMs === mtimeMs) return [name, known];
    return [
      name,
      { size, mtimeMs, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") },
    ];
  });
  return Object.fromEntries(entries.filter(Boolean));
}

/** Paths that were added or changed between two fingerprints, and deleted paths. */
export function compareFingerprints(before, now) {
  return {
    changed: Object.keys(now).filter((name) => before[name]?.sha256 !== now[name].sha256),
    gone: Object.keys(before).filter((name) => !now[name]),
  };
}

const stampPath = (step) => join(root, "dist", ".stamps", `${step}.json`);

/** The fingerprint of a build step's last complete run; empty if there is none. */
export function readStamp(step) {
  const path = stampPath(step);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}

/** @param {Fingerprint} made */
export function writeStamp(step, made) {
  const path = stampPath(step);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(made));
}

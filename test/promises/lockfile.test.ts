import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

type LockedPackage = {
  version?: string;
  resolved?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const locked = (JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: Record<string, LockedPackage> }).packages;

/** Looks a dependency up as Node does: in the owner's own node_modules, then in those around it. */
function isLocked(owner: string, name: string): boolean {
  for (let folder = owner; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    if (locked[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === "") return false;
  }
}

it("every dependency has its line in the lockfile, those for other platforms too: otherwise `npm ci` refuses to install anything", () => {
  const missing = Object.entries(locked).flatMap(([owner, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(owner, name))
      .map((name) => `${name} of ${owner}`),
  );
  expect(missing).toEqual([]);
});

it("the lockfile names no registry, so that each machine asks its own", () => {
  expect(Object.entries(locked).filter(([, entry]) => entry.resolved !== undefined && !entry.link)).toEqual([]);
});

it("every version in package.json is exact", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  expect(loose).toEqual([]);
});

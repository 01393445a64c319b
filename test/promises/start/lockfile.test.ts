import { globSync, readFileSync } from "node:fs";
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

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const locked = (
  JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  }
).packages;

/** Looks a dependency up like Node: in the owner's node_modules, then in the enclosing ones. */
function isLocked(owner: string, name: string): boolean {
  for (
    let folder = owner;
    ;
    folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))
  ) {
    if (locked[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === "") return false;
  }
}

it("every dependency has its line in the lockfile, those for other platforms too: otherwise `npm ci` refuses to install anything", () => {
  const missing = Object.entries(locked).flatMap(
    ([owner, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !isLocked(owner, name))
        .map((name) => `${name} of ${owner}`),
  );
  expect(missing).toEqual([]);
});

it("the lockfile names no registry, so that each machine asks its own", () => {
  expect(
    Object.entries(locked).filter(([, entry]) => entry.resolved !== undefined && !entry.link),
  ).toEqual([]);
});

type Manifest = Record<
  "dependencies" | "devDependencies" | "optionalDependencies",
  Record<string, string> | undefined
>;
const manifestAt = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;

/** Packages that a source file loads; type-only imports load nothing. */
function loadedBy(path: string): string[] {
  const text = readFileSync(join(root, path), "utf8");
  const loads = text.matchAll(
    /(?:^(?:import|export)\s+(?!type\b)[\w\s{},*$]*?from\s*|^import\s*|\bimport\()"([^"]+)"/gm,
  );
  const names = [...loads]
    .map(([, name]) => name!)
    .filter((name) => /^(@[\w.-]+\/)?[a-z]/.test(name) && !name.startsWith("node:"));
  return names.map((name) =>
    name
      .split("/")
      .slice(0, name.startsWith("@") ? 2 : 1)
      .join("/"),
  );
}

it("npm start installs what the program loads: the server's packages for production, the browser app's for its build", () => {
  const { dependencies = {}, devDependencies = {} } = manifestAt("package.json");
  const sources = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter(
    (path) => !/\.test\.tsx?$/.test(path),
  );
  const lacking = sources.flatMap((path) => {
    const installed = /^src[\\/]web[\\/]/.test(path)
      ? { ...dependencies, ...devDependencies }
      : dependencies;
    return loadedBy(path).flatMap((name) =>
      Object.hasOwn(installed, name) ? [] : [`${name} in ${path}`],
    );
  });
  expect(lacking).toEqual([]);
});

it("every version in package.json is exact", () => {
  const all = ["package.json", "test/packages/package.json"].map(manifestAt);
  const versions = all.flatMap((manifest) => [
    manifest.dependencies,
    manifest.devDependencies,
    manifest.optionalDependencies,
  ]);
  const loose = versions
    .flatMap((given = {}) => Object.entries(given))
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  expect(loose).toEqual([]);
});

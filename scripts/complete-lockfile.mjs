/**
 * Adds to package-lock.json the other platforms' optional packages that `npm install` left out, as
 * it does if a registry doesn't list them or node_modules existed before the lockfile (npm issue
 * 4828). Without these entries, `npm ci` refuses to install anything on any platform. The entries
 * have no hash, because npm wasn't shown the package; on its own platform npm installs exactly that
 * version. Run it after each `npm install` that changed the lockfile.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./environment.mjs";
import { runScript, SetupProblem } from "./problem.mjs";
import { say } from "./progress.mjs";

const path = join(root, "package-lock.json");
// Native packages name their platform in this order: binding-linux-x64-musl, cli-darwin-arm64.
const PLATFORM =
  /-(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-(gnu|musl|msvc|gnueabihf|musleabihf|eabi))?$/;

/** True when Node, starting from `owner`, would find `name` among the locked packages. */
function isLocked(packages, owner, name) {
  for (
    let folder = owner;
    ;
    folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))
  ) {
    if (packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === "") return false;
  }
}

function lineFor(name, version, owner) {
  const [, os, cpu, abi] = PLATFORM.exec(name) ?? [];
  if (!os || !/^\d/.test(version))
    throw new SetupProblem(
      `${name} ${version} names no platform: write its line in package-lock.json by hand.`,
    );
  return {
    version,
    cpu: [cpu],
    ...(owner.dev ? { dev: true } : {}),
    ...(os === "linux" ? { libc: [abi?.startsWith("musl") ? "musl" : "glibc"] } : {}),
    ...(owner.license ? { license: owner.license } : {}),
    optional: true,
    os: [os],
    ...(owner.engines ? { engines: owner.engines } : {}),
  };
}

await runScript(async () => {
  const lock = JSON.parse(readFileSync(path, "utf8"));
  const missing = Object.entries(lock.packages).flatMap(([at, owner]) =>
    Object.entries(owner.optionalDependencies ?? {})
      .filter(([name]) => !isLocked(lock.packages, at, name))
      .map(([name, version]) => [`node_modules/${name}`, lineFor(name, version, owner)]),
  );
  const packages = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) });
  lock.packages = Object.fromEntries(packages.sort(([a], [b]) => a.localeCompare(b, "en")));
  if (missing.length > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  say(
    missing.length === 0
      ? "package-lock.json was complete."
      : `Added ${missing.length} packages of other platforms to package-lock.json.`,
  );
});

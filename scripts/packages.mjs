import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture, lastLines } from "./child.mjs";
import { programEnvironment, root } from "./environment.mjs";
import { runNpm } from "./npm.mjs";
import { SetupProblem } from "./problem.mjs";
import { withProgress } from "./progress.mjs";

const stampPath = join(root, "node_modules", ".bottega-stamp");

// `npm ci` removes node_modules first, and the stamp with it: an installation that was cut off is never taken for a whole one.
function wantedStamp() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return createHash("sha256").update(lock).update(`${process.platform}-${process.arch}`).digest("hex");
}

/** True when npm's own record of what it installed (written last) names each package of the lockfile; optional ones may be another platform's. */
function agreesWithLockfile() {
  const recordPath = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(recordPath)) return false;
  const installed = JSON.parse(readFileSync(recordPath, "utf8")).packages;
  const locked = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  return Object.entries(locked).every(
    ([path, entry]) =>
      path === "" || entry.link || (installed[path] ? installed[path].integrity === entry.integrity : entry.optional || entry.devOptional),
  );
}

/** True when node_modules is what the lockfile asks for. */
export function arePackagesCurrent() {
  const wanted = wantedStamp();
  if (existsSync(stampPath) && readFileSync(stampPath, "utf8") === wanted) return true;
  if (!agreesWithLockfile()) return false;
  writeFileSync(stampPath, wanted);
  return true;
}

// Install scripts are off (an installed package runs no code of its own accord), so what has a native part is tried once.
const TRY_NATIVE_PARTS = `
  const { default: sharp } = await import("sharp");
  await sharp({ create: { width: 1, height: 1, channels: 3, background: "#000" } }).png().toBuffer();
  const { DatabaseSync } = await import("node:sqlite");
  new DatabaseSync(":memory:").exec("create table t (a integer) strict");
`;

/**
 * Installs the lockfile's packages, unless they are there.
 * @throws {SetupProblem} when npm can't, or when sharp or SQLite does not work on this machine
 */
export async function bringPackages(node) {
  if (arePackagesCurrent()) return;
  await withProgress("installing packages", async () => {
    await runNpm(node, ["ci", "--include=dev", "--include=optional"], { folder: root, what: "fetch its packages" });
    const tried = await capture(node, ["--input-type=module", "-e", TRY_NATIVE_PARTS], { cwd: root, env: programEnvironment(node) });
    if (tried.code !== 0) {
      throw new SetupProblem(`sharp or SQLite does not work with ${node} on this machine; it said:\n${lastLines(tried.output, 8)}`);
    }
  });
  writeFileSync(stampPath, wantedStamp());
}

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture, lastLines } from "./child.mjs";
import { programEnvironment, root } from "./environment.mjs";
import { runNpm } from "./npm.mjs";
import { SetupProblem } from "./problem.mjs";
import { withProgress } from "./progress.mjs";

/**
 * The two installations. `program` has what the server and its build need; `tests` adds the workspace test/packages: the browser,
 * PostgreSQL, the checkers and official clients. Neither takes a peer that a library merely allows: TensorFlow's whole bundle alone
 * would be 270 MB.
 * @typedef {"program" | "tests"} Extent
 */
export const NPM_CI = {
  program: ["ci", "--include=dev", "--include=optional", "--omit=peer", "--workspaces=false"],
  tests: ["ci", "--include=dev", "--include=optional", "--omit=peer"],
};

const stampPath = join(root, "node_modules", ".bottega-stamp");

// `npm ci` removes node_modules first, and the stamp with it: an interrupted installation never counts as complete.
/** @param {Extent} extent */
function stampOf(extent) {
  const lock = readFileSync(join(root, "package-lock.json"));
  return `${extent} ${createHash("sha256").update(lock).update(`${process.platform}-${process.arch}`).digest("hex")}`;
}

/** True when npm's own record of its installation (written last) names each package of the lockfile; optional ones and peers may be absent. */
function agreesWithLockfile() {
  const recordPath = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(recordPath)) return false;
  const installed = JSON.parse(readFileSync(recordPath, "utf8")).packages;
  const locked = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  return Object.entries(locked).every(
    ([path, entry]) =>
      path === "" ||
      entry.link ||
      !path.includes("node_modules/") ||
      (installed[path] ? installed[path].integrity === entry.integrity : entry.optional || entry.devOptional || entry.peer),
  );
}

/**
 * True when node_modules holds what the lockfile asks for; an installation for tests serves the program too.
 * @param {Extent} extent
 */
export function arePackagesCurrent(extent) {
  const stamp = existsSync(stampPath) ? readFileSync(stampPath, "utf8") : "";
  if (stamp === stampOf("tests") || stamp === stampOf(extent)) return true;
  if (stamp !== "" || !agreesWithLockfile()) return false;
  writeFileSync(stampPath, stampOf("tests"));
  return true;
}

// Install scripts are off, so native parts are tried once.
const TRY_NATIVE_PARTS = `
  const { default: sharp } = await import("sharp");
  await sharp({ create: { width: 1, height: 1, channels: 3, background: "#000" } }).png().toBuffer();
  const { DatabaseSync } = await import("node:sqlite");
  new DatabaseSync(":memory:").exec("create table t (a integer) strict");
`;

/**
 * Installs the lockfile's packages, unless they are current.
 * @param {string} node
 * @param {Extent} extent
 * @throws {SetupProblem} when npm can't, or when sharp or SQLite does not work on this machine
 */
export async function bringPackages(node, extent) {
  if (arePackagesCurrent(extent)) return;
  const what = extent === "tests" ? "installing packages of the program and its tests" : "installing packages";
  await withProgress(what, async () => {
    await runNpm(node, NPM_CI[extent], { folder: root, what: "fetch its packages" });
    const tried = await capture(node, ["--input-type=module", "-e", TRY_NATIVE_PARTS], { cwd: root, env: programEnvironment(node) });
    if (tried.code !== 0) {
      throw new SetupProblem(`sharp or SQLite does not work with ${node} on this machine; it said:\n${lastLines(tried.output, 8)}`);
    }
  });
  writeFileSync(stampPath, stampOf(extent));
}

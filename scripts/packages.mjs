import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { capture, lastLines } from "./child.mjs";
import { programEnvironment, root } from "./environment.mjs";
import { NetworkProblem, runNpm } from "./npm.mjs";
import { SetupProblem } from "./problem.mjs";
import { withProgress } from "./progress.mjs";

/**
 * The two installations. `program` has everything for the server and its build; `tests` adds the
 * workspace test/packages: the browser, PostgreSQL, the checkers and official clients. Both leave
 * out optional peers: TensorFlow's complete bundle alone would take 270 MB.
 * @typedef {"program" | "tests"} Extent
 */
export const NPM_CI = {
  program: ["ci", "--include=dev", "--include=optional", "--omit=peer", "--workspaces=false"],
  tests: ["ci", "--include=dev", "--include=optional", "--omit=peer"],
};

const stampPath = join(root, "node_modules", ".bottega-stamp");

// The stamp is inside node_modules and is deleted with it, so an interrupted installation never
// counts as complete.
/** @param {Extent} extent */
function stampOf(extent) {
  const lock = readFileSync(join(root, "package-lock.json"));
  return `${extent} ${createHash("sha256").update(lock).update(`${process.platform}-${process.arch}`).digest("hex")}`;
}

/**
 * True if npm's own record of its installation (written last) names exactly the lockfile's
 * packages; optional ones and peers may be missing.
 */
function agreesWithLockfile() {
  const recordPath = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(recordPath)) return false;
  const installed = JSON.parse(readFileSync(recordPath, "utf8")).packages;
  const locked = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  if (!Object.keys(installed).every((path) => path in locked)) return false;
  return Object.entries(locked).every(
    ([path, entry]) =>
      path === "" ||
      entry.link ||
      !path.includes("node_modules/") ||
      (installed[path]
        ? installed[path].integrity === entry.integrity
        : entry.optional || entry.devOptional || entry.peer),
  );
}

/**
 * True if node_modules matches the lockfile; an installation for tests serves the program too.
 * @param {Extent} extent
 */
export function arePackagesCurrent(extent) {
  const stamp = existsSync(stampPath) ? readFileSync(stampPath, "utf8") : "";
  if (stamp === stampOf("tests") || stamp === stampOf(extent)) return true;
  // A release may change the lockfile's version without changing its packages.
  if (!agreesWithLockfile()) return false;
  writeFileSync(stampPath, stampOf("tests"));
  return true;
}

// Install scripts are off, so native parts are tested once.
const TRY_NATIVE_PARTS = `
  const { default: sharp } = await import("sharp");
  await sharp({ create: { width: 1, height: 1, channels: 3, background: "#000" } }).png().toBuffer();
  const { DatabaseSync } = await import("node:sqlite");
  new DatabaseSync(":memory:").exec("create table t (a integer) strict");
`;

const WHAT = "fetch its packages";

/** Adds each package's address at this machine's registry, by the registries' common naming. */
function withAddresses(lock, registry) {
  const base = registry.endsWith("/") ? registry : `${registry}/`;
  const address = (path, { name = path.slice(path.lastIndexOf("node_modules/") + 13), version }) =>
    `${base}${name}/-/${name.split("/").pop()}-${version}.tgz`;
  const packages = Object.entries(lock.packages).map(([path, entry]) => {
    const isFetched = path.includes("node_modules/") && !entry.link && !entry.resolved;
    return [path, isFetched ? { ...entry, resolved: address(path, entry) } : entry];
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

/**
 * Installs into a separate folder, then replaces node_modules. The lockfile names no registry, so
 * npm would read each package's whole history to find one address, which is half of its work;
 * adding the addresses avoids this.
 * @throws {SetupProblem} if npm fails
 */
async function installAside(node, args) {
  const folder = join(root, ".runtime", "packages");
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["package.json", ".npmrc", "test/packages/package.json"]) {
    if (!existsSync(join(root, name))) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(root, name), join(folder, name));
  }
  const registry = (await runNpm(node, ["config", "get", "registry"], { folder: root, what: WHAT }))
    .trim()
    .split("\n")
    .pop();
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(withAddresses(lock, registry)));
  await runNpm(node, args, { folder, what: WHAT });
  rmSync(join(root, "node_modules"), { recursive: true, force: true });
  renameSync(join(folder, "node_modules"), join(root, "node_modules"));
  rmSync(folder, { recursive: true, force: true });
}

/**
 * If the registry names its files differently, or node_modules is a mount, npm installs without the
 * addresses.
 */
async function install(node, args) {
  try {
    await installAside(node, args);
  } catch (error) {
    if (error instanceof NetworkProblem) throw error;
    await runNpm(node, args, { folder: root, what: WHAT });
  }
}

/**
 * Installs the lockfile's packages, unless they are current.
 * @param {string} node
 * @param {Extent} extent
 * @throws {SetupProblem} if npm fails, or if sharp or SQLite doesn't work on this machine
 */
export async function bringPackages(node, extent) {
  if (arePackagesCurrent(extent)) return;
  const what =
    extent === "tests" ? "installing packages of the program and its tests" : "installing packages";
  await withProgress(what, async () => {
    await install(node, NPM_CI[extent]);
    const tried = await capture(node, ["--input-type=module", "-e", TRY_NATIVE_PARTS], {
      cwd: root,
      env: programEnvironment(node),
    });
    if (tried.code !== 0) {
      throw new SetupProblem(
        `sharp or SQLite does not work with ${node} on this machine; it said:\n${lastLines(tried.output, 8)}`,
      );
    }
  });
  writeFileSync(stampPath, stampOf(extent));
}

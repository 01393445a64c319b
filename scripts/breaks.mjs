/**
 * `npm run breaks`: proves that the tests notice broken behavior. For each entry of test/breaks,
 * one behavior is removed from a copy of the source, and the named test has to fail there after
 * passing before. Words select entries: `npm run breaks -- budget`. Ends with `N noticed, N
 * missed`, and with code 1 if one was missed.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { capture, lastLines } from "./child.mjs";
import { programEnvironment, root } from "./environment.mjs";
import { runScript, SetupProblem } from "./problem.mjs";
import { say, secondsSince } from "./progress.mjs";
import { setUp } from "./set-up.mjs";
import { countTests } from "./test-count.mjs";
import { findTool } from "./tools.mjs";

const BEAT_MS = 10_000;

/**
 * @returns {string[]} the work tree's current files: uncommitted changes are broken and tested too
 */
function listFiles() {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  try {
    const paths = execFileSync("git", args, { cwd: root, maxBuffer: 2 ** 26, stdio: "pipe" });
    return paths
      .toString()
      .split("\0")
      .filter((path) => path !== "" && existsSync(join(root, path)));
  } catch (error) {
    throw new SetupProblem(
      `The files could not be listed; git said: ${String(error.stderr ?? error).trim()}`,
    );
  }
}

/**
 * A copy in which anything may be broken. Each package is a link, so that caches next to packages
 * stay in the copy.
 */
function copySource(copy) {
  for (const path of listFiles()) cpSync(join(root, path), join(copy, path));
  const packages = join(root, "node_modules");
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(packages))
    if (!name.startsWith(".") || name === ".bin")
      symlinkSync(join(packages, name), join(copy, "node_modules", name));
}

const projectOf = (path) => (path.startsWith("src/") ? "unit" : path.split("/")[1]);
const escapePattern = (words) => words.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/**
 * @returns {Promise<{ passed: number, failed: number, isLoaded: boolean, output: string }>} the
 *   named test's result for the copy's current state
 */
async function runTest(node, copy, { test, title }) {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const args = [
    "run",
    `--project=${projectOf(test)}`,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    test,
    ...(title ? ["-t", escapePattern(title)] : []),
  ];
  // Only SQLite, because a broken rule is broken on both databases.
  const env = { ...programEnvironment(node), TESTS_WITHOUT: "postgres" };
  const { code, output } = await capture(node, [findTool("vitest"), ...args], { cwd: copy, env });
  const { passed, failed } = countTests(report, { exitCode: code, mayFewerRun: true });
  const isLoaded =
    existsSync(report) && JSON.parse(readFileSync(report, "utf8")).numFailedTests > 0;
  return { passed, failed, isLoaded, output };
}

/** @returns {Promise<string | null>} the reason that the test didn't notice; null if it did */
async function look(node, copy, one, runWhole) {
  const path = join(copy, one.file);
  const source = existsSync(path) ? readFileSync(path, "utf8") : "";
  const found = source.split(one.text).length - 1;
  if (found !== 1) return `its text is in ${one.file} ${found} times, not once`;
  const whole = await runWhole(one);
  if (whole.failed > 0)
    return `its test is red before anything is broken:\n${lastLines(whole.output, 30)}`;
  writeFileSync(
    path,
    source.replace(one.text, () => one.instead),
  );
  try {
    const broken = await runTest(node, copy, one);
    if (broken.failed === 0) return "its test stays green";
    return broken.isLoaded
      ? null
      : `what is left does not run, so its test proves nothing:\n${lastLines(broken.output, 30)}`;
  } finally {
    writeFileSync(path, source);
  }
}

/** @returns {Promise<import("../test/breaks/break.ts").Break[]>} */
async function choose(words) {
  const { breaks } = await import("../test/breaks/index.ts");
  const chosen = breaks.filter(({ rule, file, test }) =>
    words.every((word) => `${rule} ${file} ${test}`.toLowerCase().includes(word.toLowerCase())),
  );
  if (chosen.length === 0)
    throw new SetupProblem(`No entry of test/breaks has the words: ${words.join(" ")}`);
  return chosen;
}

await runScript(async () => {
  const node = await setUp({ withBuild: false, withTests: true });
  const chosen = await choose(process.argv.slice(2));
  const copy = realpathSync(mkdtempSync(join(tmpdir(), "bottega-breaks-")));
  process.on("exit", () => rmSync(copy, { recursive: true, force: true, maxRetries: 3 }));
  // While a test runs, `capture` ends it first, then this process.
  let isTesting = false;
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, () => isTesting || process.exit(1));
  process.on("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
  copySource(copy);

  /** Several entries share a test, which runs only once on unbroken source. */
  const wholes = new Map();
  const runWhole = async (one) => {
    const name = `${one.test} ${one.title ?? ""}`;
    if (!wholes.has(name)) wholes.set(name, await runTest(node, copy, one));
    return wholes.get(name);
  };

  let missed = 0;
  for (const one of chosen) {
    const startMs = Date.now();
    const beat = setInterval(() => say(`still testing, ${secondsSince(startMs)}`), BEAT_MS);
    isTesting = true;
    const why = await look(node, copy, one, runWhole);
    isTesting = false;
    clearInterval(beat);
    if (why !== null) missed++;
    say(`${why === null ? "noticed" : "MISSED "}  ${one.rule} (${secondsSince(startMs)})`);
    if (why !== null) say(`${one.test}${one.title ? ` "${one.title}"` : ""}: ${why}`);
  }
  process.exitCode = missed > 0 ? 1 : 0;
  say(`${chosen.length - missed} noticed, ${missed} missed`);
});

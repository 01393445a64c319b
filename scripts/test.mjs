/**
 * `npm test`: everything, without preparation: Node and packages, the browser app, checks, and the
 * tests of all projects with their real dependencies. The last line is `N passed, N failed`,
 * including the checks. `npm test -- unit` runs one project; all other arguments are passed to
 * Vitest (`npm test -- promises launcher`, `npm test -- -t "fenced"`), and the checks are then left
 * out. If no PostgreSQL or no Chromium starts, one line names what was left out; with CI set that
 * is a failure. If up to three files of a whole run fail, they run once more alone: a test that
 * passes then is reported as unsteady, which is a bug although it doesn't fail the run. `--costs`
 * reports each project's core seconds, and those of the most expensive files.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChecks } from "./checks.mjs";
import { capture } from "./child.mjs";
import { programEnvironment, root } from "./environment.mjs";
import { runScript, SetupProblem } from "./problem.mjs";
import { say, secondsSince } from "./progress.mjs";
import { setUp } from "./set-up.mjs";
import { watchCosts } from "./test-costs.mjs";
import { countTests, listFailedFiles, mergeReports } from "./test-count.mjs";
import { findTool } from "./tools.mjs";

const PROJECTS = ["unit", "promises", "security", "browser"];
const SILENCE_MS = 4000;
const RERUN_FILES_MAX = 3;

const given = process.argv.slice(2);
const args = given.filter((arg) => arg !== "--costs");
const withCosts = args.length < given.length;
const isWhole = args.length === 0;

/**
 * @returns {Promise<{ postgres: boolean, chromium: boolean }>} the real dependencies that start on
 *   this machine; with CI set all are expected
 */
async function findParts(node) {
  if (process.env.CI) return { postgres: true, chromium: true };
  const { code, output } = await capture(node, [join(root, "test", "support", "parts-here.ts")], {
    cwd: root,
    env: programEnvironment(node),
  });
  if (code !== 0)
    throw new SetupProblem(
      `The parts of the tests could not be looked for; Node said:\n${output.trimEnd()}`,
    );
  return JSON.parse(output);
}

function sayLeftOut({ postgres, chromium }) {
  const left = [
    ...(postgres ? [] : ["all on PostgreSQL (none starts here)"]),
    ...(chromium ? [] : ["all in a browser (no Chromium starts here)"]),
  ];
  if (left.length > 0) say(`left out: ${left.join(" and ")}`);
}

/**
 * Streams Vitest's report to stdout, with a line during long tests, so that it is never silent for
 * five seconds.
 */
async function runVitest(node, reportPath, { postgres, chromium, costsPath }, args) {
  const chosen = PROJECTS.filter((name) => args.includes(name));
  const projects = (chosen.length > 0 ? chosen : PROJECTS).filter(
    (name) => chromium || name !== "browser",
  );
  if (projects.length === 0) return 0;
  const vitestArgs = [
    "run",
    ...projects.map((name) => `--project=${name}`),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportPath}`,
    ...args.filter((arg) => !PROJECTS.includes(arg)),
  ];
  const startMs = Date.now();
  let lastMs = startMs;
  const beat = setInterval(() => {
    if (Date.now() - lastMs < SILENCE_MS) return;
    lastMs = Date.now();
    say(`still testing, ${secondsSince(startMs)}`);
  }, 500);
  const { code } = await capture(node, [findTool("vitest"), ...vitestArgs], {
    cwd: root,
    env: {
      ...programEnvironment(node),
      ...(!postgres && { TESTS_WITHOUT: "postgres" }),
      ...(costsPath && { TEST_COSTS: costsPath }),
    },
    onOutput: (chunk) => {
      lastMs = Date.now();
      process.stdout.write(chunk);
    },
  });
  clearInterval(beat);
  return code;
}

/** A busy machine reveals races within a test; a test that fails alone too is broken. */
async function runFailedAgain(node, reportPath, parts) {
  const files = listFailedFiles(reportPath);
  if (files.length === 0 || files.length > RERUN_FILES_MAX) return undefined;
  say(`once more, alone: ${files.join(", ")}`);
  const laterPath = `${reportPath}.again`;
  const exitCode = await runVitest(node, laterPath, parts, files);
  for (const test of mergeReports(reportPath, laterPath)) say(`UNSTEADY  ${test}`);
  return exitCode;
}

/** @returns {Promise<{ passed: number, failed: number }>} */
async function check(node) {
  const results = await runChecks(node);
  for (const { name, passed, output } of results) {
    say(`${passed ? "passed" : "FAILED"}  ${name}`);
    if (!passed) say(output.trimEnd());
  }
  return {
    passed: results.filter((result) => result.passed).length,
    failed: results.filter((result) => !result.passed).length,
  };
}

/**
 * Prepares Node, packages and the browser app. A failed build of the app counts as a failed test;
 * without Node or packages, nothing can run.
 */
async function prepare() {
  try {
    return { node: await setUp({ withBuild: true, withTests: true }), built: true };
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    console.error(error.message);
    return { node: await setUp({ withBuild: false, withTests: true }), built: false };
  }
}

await runScript(async () => {
  const folder = mkdtempSync(join(tmpdir(), "bottega-tests-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const reportPath = join(folder, "report.json");
  const { node, built } = await prepare();
  const checked = isWhole ? await check(node) : { passed: 0, failed: 0 };
  const costsPath = withCosts ? join(folder, "costs") : undefined;
  const parts = { ...(await findParts(node)), costsPath };
  const costs = costsPath && watchCosts(costsPath);
  let exitCode = await runVitest(node, reportPath, parts, args);
  if (isWhole && exitCode !== 0)
    exitCode = (await runFailedAgain(node, reportPath, parts)) ?? exitCode;
  if (costs) for (const line of costs.end()) say(line);
  const tested = countTests(reportPath, { exitCode, mayFewerRun: !process.env.CI });
  for (const note of tested.notes) say(note);
  sayLeftOut(parts);
  const passed = checked.passed + tested.passed + (isWhole && built ? 1 : 0);
  const failed = checked.failed + tested.failed + (built ? 0 : 1);
  process.exitCode = failed > 0 ? 1 : 0;
  say(`${passed} passed, ${failed} failed`);
});

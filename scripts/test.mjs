/**
 * `npm test`: everything, by itself: Node and packages, the browser app, checks, and the tests of all projects with their real
 * parts. The last line is `N passed, N failed`, checks counted in. `npm test -- unit` runs one project; any other argument
 * goes to Vitest (`npm test -- promises launcher`, `npm test -- -t "fenced"`); then the checks are left out.
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
import { countTests } from "./test-count.mjs";
import { findTool } from "./tools.mjs";

const PROJECTS = ["unit", "promises", "security", "browser"];
const SILENCE_MS = 4000;

const args = process.argv.slice(2);
const isWhole = args.length === 0;

/** Streams Vitest's own report to stdout; a long test is told, so that no five seconds are silent. */
async function runVitest(node, reportPath) {
  const chosen = PROJECTS.filter((name) => args.includes(name));
  const vitestArgs = [
    "run",
    ...(chosen.length > 0 ? chosen : PROJECTS).map((name) => `--project=${name}`),
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
    env: programEnvironment(node),
    onOutput: (chunk) => {
      lastMs = Date.now();
      process.stdout.write(chunk);
    },
  });
  clearInterval(beat);
  return code;
}

/** @returns {Promise<{ passed: number, failed: number }>} */
async function check(node) {
  const results = await runChecks(node);
  for (const { name, passed, output } of results) {
    say(`${passed ? "passed" : "FAILED"}  ${name}`);
    if (!passed) say(output.trimEnd());
  }
  return { passed: results.filter((result) => result.passed).length, failed: results.filter((result) => !result.passed).length };
}

/** Brings Node, packages and the browser app. An app that can't be built fails as a test does; without Node or packages there is nothing to run. */
async function prepare() {
  try {
    return { node: await setUp({ withBuild: true }), built: true };
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    console.error(error.message);
    return { node: await setUp({ withBuild: false }), built: false };
  }
}

await runScript(async () => {
  const folder = mkdtempSync(join(tmpdir(), "bottega-tests-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const reportPath = join(folder, "report.json");
  const { node, built } = await prepare();
  const checked = isWhole ? await check(node) : { passed: 0, failed: 0 };
  const exitCode = await runVitest(node, reportPath);
  const tested = countTests(reportPath, { exitCode, mayFewerRun: !process.env.CI });
  for (const note of tested.notes) say(note);
  const passed = checked.passed + tested.passed + (isWhole && built ? 1 : 0);
  const failed = checked.failed + tested.failed + (built ? 0 : 1);
  process.exitCode = failed > 0 ? 1 : 0;
  say(`${passed} passed, ${failed} failed`);
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";

/**
 * The message of a test that needs a dependency missing on this machine
 * (test/support/databases/postgres-binaries.ts).
 */
const LACKS_PART = /No PostgreSQL starts here/;

const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/** @returns {string[]} the files of a report with failures; none if Vitest left no report */
export function listFailedFiles(path) {
  if (!existsSync(path)) return [];
  return read(path)
    .testResults.filter((file) => file.status === "failed")
    .map((file) => file.name);
}

/**
 * Replaces the first results of repeated files by their second ones.
 * @returns {string[]} the tests that failed first and passed now, and files that didn't load first
 */
export function mergeReports(path, laterPath) {
  if (!existsSync(laterPath)) return [];
  const report = read(path);
  const later = new Map(read(laterPath).testResults.map((file) => [file.name, file]));
  const unsteady = report.testResults
    .filter((file) => file.status === "failed" && later.get(file.name)?.status === "passed")
    .flatMap((file) => {
      const failed = file.assertionResults.filter((test) => test.status === "failed");
      return failed.length === 0
        ? [file.name]
        : failed.map((test) => `${test.fullName} (${file.name})`);
    });
  report.testResults = report.testResults.map((file) => later.get(file.name) ?? file);
  writeFileSync(path, JSON.stringify(report));
  return unsteady;
}

/**
 * Counts the results in Vitest's JSON report. A file that couldn't be loaded and an error outside
 * of tests are failures too, although both leave `numFailedTests` at zero.
 * @param {string} path the report
 * @param {{ exitCode: number, mayFewerRun: boolean }} options mayFewerRun: false if a skipped or
 *   todo test is a failure, as is one that needs a dependency missing on this machine
 * @returns {{ passed: number, failed: number, skipped: number, notes: string[] }}
 */
export function countTests(path, { exitCode, mayFewerRun }) {
  if (!existsSync(path))
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      notes: [`Vitest ended with code ${exitCode} and left no report.`],
    };
  const report = read(path);
  const tests = report.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({ ...test, file: file.name })),
  );
  const lacksPart = (messages) =>
    mayFewerRun && messages.some((message) => LACKS_PART.test(message));
  const passed = tests.filter((test) => test.status === "passed").length;
  const broken = tests.filter((test) => test.status === "failed");
  const brokenFiles = report.testResults.filter(
    (file) =>
      file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const failures = broken.filter((test) => !lacksPart(test.failureMessages));
  const unloaded = brokenFiles.filter((file) => !lacksPart([file.message]));
  const isFileLeftOut = (name) =>
    brokenFiles.some((file) => file.name === name && !unloaded.includes(file));
  const skipped = tests.filter(
    (test) => test.status !== "passed" && test.status !== "failed" && !isFileLeftOut(test.file),
  );
  const isLeftOut = failures.length < broken.length || unloaded.length < brokenFiles.length;
  let failed = failures.length + unloaded.length;
  const notes = unloaded.map((file) => `did not load or clean up: ${file.name}`);
  if (failed === 0 && exitCode !== 0 && !isLeftOut) {
    failed = 1;
    notes.push(`Vitest ended with code ${exitCode} for something outside the tests; see above.`);
  }
  if (passed + failed === 0) {
    failed = 1;
    notes.push("No test ran.");
  }
  notes.push(...skipped.map((test) => `skipped: ${test.fullName} (${test.file})`));
  return mayFewerRun
    ? { passed, failed, skipped: skipped.length, notes }
    : { passed, failed: failed + skipped.length, skipped: 0, notes };
}

import { writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { launch } from "../../support/server/launched.ts";
import { createTempFolder } from "../../support/temp.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

type Count = { passed: number; failed: number; skipped: number; notes: string[] };

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VITEST|CI$)/.test(name)),
);

/** Writes test files with this text into a separate folder. */
function writeTests(files: Record<string, string>): string {
  const folder = createTempFolder("counted");
  const imports = `import { expect, it } from ${JSON.stringify(join(root, "node_modules/vitest/dist/index.js"))};\n`;
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), imports + text);
  return folder;
}

/** Runs Vitest in that folder. */
async function runTests(folder: string, name = "report.json") {
  const report = join(folder, name);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--reporter=json", `--outputFile=${report}`, "--root", folder];
  const { code } = await launch(process.execPath, args, { cwd: folder, env }).ended;
  return { report, code };
}

/**
 * Evaluates an expression that may use everything that counts tests, in a separate process, because
 * scripts aren't modules of the tests.
 */
async function evaluate<Result>(folder: string, expression: string): Promise<Result> {
  const script = `
    const { countTests, listFailedFiles, mergeReports } = await import(${JSON.stringify(join(root, "scripts", "test-count.mjs"))});
    console.log(JSON.stringify(${expression}));`;
  const args = ["--input-type=module", "-e", script];
  const run = launch(process.execPath, args, { cwd: folder, env });
  await run.ended;
  return JSON.parse(run.output()) as Result;
}

/** Runs Vitest on test files with this text and counts its report like `npm test`. */
async function count(files: Record<string, string>, mayFewerRun: boolean): Promise<Count> {
  const folder = writeTests(files);
  const { report, code } = await runTests(folder);
  return await evaluate(
    folder,
    `countTests(${JSON.stringify(report)}, { exitCode: ${code}, mayFewerRun: ${mayFewerRun} })`,
  );
}

const SOME =
  'it("passes", () => {});\nit("fails", () => expect(1).toBe(2));\nit.skip("skipped", () => {});\nit.todo("later");\n';

it("where nothing may be skipped, skipped and todo tests are failures", async () => {
  expect(await count({ "a.test.ts": SOME }, false)).toMatchObject({ passed: 1, failed: 3 });
});

it("elsewhere skipped tests are reported and don't fail", async () => {
  const counted = await count({ "a.test.ts": SOME }, true);
  expect(counted).toMatchObject({ passed: 1, failed: 1, skipped: 2 });
  expect(counted.notes.filter((note) => note.startsWith("skipped: "))).toHaveLength(2);
});

it("a test file that can't be loaded is a failure", async () => {
  const files = {
    "a.test.ts": 'it("passes", () => {});\n',
    "b.test.ts": 'throw new Error("broken");\n',
  };
  expect(await count(files, true)).toMatchObject({ passed: 1, failed: 1 });
});

it("an error outside any test is a failure", async () => {
  const text =
    'it("passes", async () => { void Promise.reject(new Error("nobody waits for me")); await new Promise(setImmediate); });\n';
  expect(await count({ "a.test.ts": text }, true)).toMatchObject({ passed: 1, failed: 1 });
});

const NEEDS_POSTGRES = [
  'it("passes", () => {});',
  'it("needs it", () => Promise.reject(new Error("This run has no database for its tests: Error: No PostgreSQL starts here: none.")));',
].join("\n");

it("a test without its PostgreSQL is left out, and a failure where nothing may be skipped", async () => {
  expect(await count({ "a.test.ts": NEEDS_POSTGRES }, true)).toMatchObject({
    passed: 1,
    failed: 0,
  });
  expect(await count({ "a.test.ts": NEEDS_POSTGRES }, false)).toMatchObject({
    passed: 1,
    failed: 1,
  });
});

it("a run without a test is a failure", async () => {
  expect(await count({}, true)).toMatchObject({ passed: 0, failed: 1 });
});

it("a test that passes on its file's second run counts as passed, and is named; one that fails again is a failure", async () => {
  const folder = writeTests({
    "passes.test.ts": 'it("passes", () => {});\n',
    "unsteady.test.ts": `import { existsSync, writeFileSync } from "node:fs";
      it("fails first", () => {
        const seen = new URL("seen", import.meta.url);
        const isFirst = !existsSync(seen);
        writeFileSync(seen, "");
        expect(isFirst).toBe(false);
      });\n`,
    "broken.test.ts": 'it("fails", () => expect(1).toBe(2));\n',
  });
  const first = await runTests(folder);
  const [path, laterPath] = [first.report, (await runTests(folder, "later.json")).report].map(
    (report) => JSON.stringify(report),
  );
  const { failedFiles, unsteady, counted } = await evaluate<{
    failedFiles: string[];
    unsteady: string[];
    counted: Count;
  }>(
    folder,
    `{
      failedFiles: listFailedFiles(${path}),
      unsteady: mergeReports(${path}, ${laterPath}),
      counted: countTests(${path}, { exitCode: 1, mayFewerRun: false }),
    }`,
  );
  expect(failedFiles.map((file) => basename(file)).sort()).toEqual([
    "broken.test.ts",
    "unsteady.test.ts",
  ]);
  expect(unsteady).toEqual([expect.stringMatching(/^fails first \(.*unsteady\.test\.ts\)$/)]);
  expect(counted).toMatchObject({ passed: 2, failed: 1 });
});

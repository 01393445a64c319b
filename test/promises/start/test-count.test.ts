import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { launch } from "../../support/server/launched.ts";
import { createTempFolder } from "../../support/temp.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

type Count = { passed: number; failed: number; skipped: number; notes: string[] };

/** Runs Vitest on test files of this text and counts its report as `npm test` does. */
async function count(files: Record<string, string>, mayFewerRun: boolean): Promise<Count> {
  const folder = createTempFolder("counted");
  const imports = `import { expect, it } from ${JSON.stringify(join(root, "node_modules/vitest/dist/index.js"))};\n`;
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), imports + text);
  const report = join(folder, "report.json");
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|CI$)/.test(name)),
  );
  const run = launch(
    process.execPath,
    [vitest, "run", "--reporter=json", `--outputFile=${report}`, "--root", folder],
    {
      cwd: folder,
      env,
    },
  );
  const { code } = await run.ended;
  const script = `
    const { countTests } = await import(${JSON.stringify(join(root, "scripts", "test-count.mjs"))});
    console.log(JSON.stringify(countTests(${JSON.stringify(report)}, { exitCode: ${code}, mayFewerRun: ${mayFewerRun} })));`;
  const counting = launch(process.execPath, ["--input-type=module", "-e", script], {
    cwd: folder,
    env,
  });
  await counting.ended;
  return JSON.parse(counting.output()) as Count;
}

const SOME =
  'it("passes", () => {});\nit("fails", () => expect(1).toBe(2));\nit.skip("skipped", () => {});\nit.todo("later");\n';

it("where nothing may be skipped, a skipped and a todo test are failures", async () => {
  expect(await count({ "a.test.ts": SOME }, false)).toMatchObject({ passed: 1, failed: 3 });
});

it("elsewhere skipped tests are reported and do not fail", async () => {
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

it("a test that needs a PostgreSQL which this machine lacks is left out, and a failure where nothing may be", async () => {
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

import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { kinds } from "./index.ts";

it.each(kinds.map((kind) => [kind.kind, kind] as const))(
  "the adapter of %s does what its kind declares",
  async (_name, { load, ...declared }) => {
    const adapter = await load();
    expect(adapter).toMatchObject(declared);
    expect(adapter.answer ?? adapter.job).toBeDefined();
    expect(adapter.local !== undefined).toBe(declared.hasLocalModels === true);
    expect(adapter.workflows !== undefined).toBe(declared.hasWorkflows === true);
    expect(adapter.bills !== undefined).toBe(declared.billKeyHint !== undefined);
  },
);

it("kinds have unique names", () => {
  expect(new Set(kinds.map(({ kind }) => kind)).size).toBe(kinds.length);
  expect(new Set(kinds.map(({ name }) => name)).size).toBe(kinds.length);
});

/** Prints the URL of every module that importing the list of kinds loads. */
const loadedWithTheList = `
  const { registerHooks } = await import("node:module");
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
  console.log(urls.join("\\n"));`;

it("no adapter or provider client is loaded before its first use", () => {
  const { stdout } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", loadedWithTheList],
    { encoding: "utf8" },
  );
  const urls = stdout.trim().split("\n");
  expect(urls.length).toBeGreaterThan(kinds.length / 2);
  expect(
    urls.filter((url) => /\/providers\/.+\/(adapter|answers|chat|jobs)\.ts$/.test(url)),
  ).toEqual([]);
  expect(urls.filter((url) => /node_modules\/(@ai-sdk|undici)/.test(url))).toEqual([]);
});

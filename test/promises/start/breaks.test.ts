import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { breaks } from "../../breaks/index.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const read = (path: string): string =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";

it("each text that npm run breaks replaces occurs once in its file, and its replacement differs", () => {
  const counted = breaks.map(({ rule, file, text }) => [rule, read(file).split(text).length - 1]);
  expect(counted).toEqual(breaks.map(({ rule }) => [rule, 1]));
  for (const { text, instead } of breaks) expect(instead).not.toBe(text);
});

it("each test that npm run breaks names exists, and so do its title's words", () => {
  const missing = breaks.filter(
    ({ test, title = "" }) => !test.endsWith(".test.ts") || !read(test).includes(title || "it"),
  );
  expect(missing.map(({ test, title }) => [test, title])).toEqual([]);
});

it("npm run breaks removes at least twenty behaviors, none twice", () => {
  expect(breaks.length).toBeGreaterThanOrEqual(20);
  expect(new Set(breaks.map(({ rule }) => rule)).size).toBe(breaks.length);
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildTarget, oldestBrowsers } from "./browsers.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const { chrome, edge, firefox, safari } = oldestBrowsers;
const stated = `Chrome ${chrome}, Edge ${edge}, Firefox ${firefox}, Safari ${safari}`;

it("the README and the page of a browser that is too old name the versions that the build is made for", () => {
  expect(buildTarget).toEqual(["chrome111", "edge111", "firefox121", "safari16.4"]);
  expect(read("README.md")).toContain(stated);
  expect(read("src/web/public/browser-check.js")).toContain(stated);
});

it("the check itself is written in a language that every browser reads", () => {
  const code = read("src/web/public/browser-check.js").replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "");
  expect(code).not.toMatch(/=>|\b(const|let|class|async|import)\b|`|\?\.|\?\?|\.\.\./);
});

it("the check runs before the program, in the page itself", () => {
  const page = read("src/web/index.html");
  expect(page).toMatch(/<div id="root"><\/div>\s*<script src="\/browser-check\.js"><\/script>/);
});

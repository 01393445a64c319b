import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildTarget, oldestBrowsers } from "./browsers.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const { chrome, edge, firefox, safari } = oldestBrowsers;
const stated = `Chrome ${chrome}, Edge ${edge}, Firefox ${firefox}, Safari ${safari}`;

it("the README and the page for old browsers name the build's target versions", () => {
  expect(buildTarget).toEqual(["chrome111", "edge111", "firefox121", "safari16.4"]);
  expect(read("README.md")).toContain(stated);
  expect(read("src/web/public/browser-check.js")).toContain(stated);
});

it("the browser check uses only syntax that every browser can parse", () => {
  const code = read("src/web/public/browser-check.js").replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "");
  expect(code).not.toMatch(/=>|\b(const|let|class|async|import)\b|`|\?\.|\?\?|\.\.\./);
});

it("the browser check runs before the app, in the page itself", () => {
  const page = read("src/web/index.html");
  expect(page).toMatch(/<div id="root"><\/div>\s*<script src="\/browser-check\.js"><\/script>/);
});

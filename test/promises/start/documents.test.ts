import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renderTables } from "../../../scripts/spec-tables.ts";

const root = join(import.meta.dirname, "..", "..", "..");

it.each(["docs/SPEC.md", "README.md"])(
  "the tables of %s say what the code says (else: node scripts/spec.ts)",
  (path) => {
    const document = readFileSync(join(root, path), "utf8");
    expect(document).toMatch(/<!-- table: /);
    expect(document).toBe(renderTables(document));
  },
);

it("every test that docs/promises.md names is there, and every promise names one", () => {
  const document = readFileSync(join(root, "docs", "promises.md"), "utf8");
  const named = [...document.matchAll(/`([\w./-]+\.test\.ts)` "([^"]+)"/g)];
  const missing = named.filter(([, file, title]) => {
    const source = readFileSync(join(root, "test", "promises", file!), "utf8");
    // A title may hold what is filled in when it runs.
    return !source.includes(title!);
  });
  expect(missing.map(([line]) => line)).toEqual([]);
  const rows = document
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| ?\| |^\| (fault|killed) \|/.test(line));
  expect(rows.filter((row) => !row.includes(".test.ts`"))).toEqual([]);
  expect(rows.length).toBeGreaterThan(35);
});

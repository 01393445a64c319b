import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renderTables } from "../../scripts/spec-tables.ts";

const root = join(import.meta.dirname, "..", "..");

it.each(["docs/SPEC.md", "README.md"])("the tables of %s say what the code says (else: node scripts/spec.ts)", (path) => {
  const document = readFileSync(join(root, path), "utf8");
  expect(document).toMatch(/<!-- table: /);
  expect(document).toBe(renderTables(document));
});

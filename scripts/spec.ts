import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderTables } from "./spec-tables.ts";

/** Makes the generated tables of the documents anew: node scripts/spec.ts */
export const documents = ["docs/SPEC.md", "README.md"] as const;
const root = join(import.meta.dirname, "..");

for (const path of documents) {
  const file = join(root, path);
  writeFileSync(file, renderTables(readFileSync(file, "utf8")));
}

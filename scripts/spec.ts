import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSchema } from "./spec/read-schema.ts";
import { documents, renderTables } from "./spec/render.ts";

/** Regenerates the documents' tables: node scripts/spec.ts */
const root = join(import.meta.dirname, "..");
const schema = await readSchema();

for (const path of documents) {
  const file = join(root, path);
  writeFileSync(file, renderTables(readFileSync(file, "utf8"), schema));
}

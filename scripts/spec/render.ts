import { codeTables } from "./code-tables.ts";
import { contractTables } from "./contract-tables.ts";
import { dataTables } from "./data-tables.ts";
import type { TableFacts } from "./read-schema.ts";

/** Documents with generated tables. */
export const documents = [
  "docs/SPEC.md",
  "docs/spec/data.md",
  "docs/spec/api.md",
  "README.md",
] as const;

/**
 * A document with each of its generated tables, which are between two comments.
 * @throws Error for a comment that names no table
 */
export function renderTables(document: string, schema: Record<string, TableFacts>): string {
  const tables = { ...contractTables, ...codeTables, ...dataTables(schema) };
  return document.replace(/<!-- table: (\w+) -->[\s\S]*?<!-- end -->/g, (_, name: string) => {
    const make = tables[name];
    if (!make) throw new Error(`there is no table "${name}"`);
    return `<!-- table: ${name} -->\n${make()}\n<!-- end -->`;
  });
}

import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Store } from "#store/database/store.ts";
import type { DatabaseName } from "../../support/databases/databases.ts";
import { type AnsweredRows, createRecordedStore } from "../../support/databases/recorded-store.ts";
import { openTypes, type SampleChoice, type Types } from "../../support/databases/sampled-types.ts";

/**
 * The store's SQL, for reviewing a changed query: `npm test -- promises sql -u` accepts it. Each
 * exported function is called with arguments generated from their types, on both databases, with
 * and without rows in the answers; statements that need more than that aren't in the files.
 */
const source = join(import.meta.dirname, "..", "..", "..", "src", "store");
const snapshots = join(import.meta.dirname, "__snapshots__", "sql");
const schema = join(source, "database", "schema.ts");
const modules = globSync("{checks,content,models,money,people,runs,webhooks}/**/*.ts", {
  cwd: source,
})
  .filter((file) => !file.endsWith(".test.ts"))
  .sort();
const databases: readonly DatabaseName[] = ["sqlite", "postgres"];
const readers = new Set(["Tx", "Reader", "Kysely"]);
// JSON as well as text.
const text = "[]";
const choices: readonly SampleChoice[] = [
  { isFull: true, text },
  { isFull: false, text },
];

/** A way to call every function on one database, and the rows that answer its statements. */
type Way = { argumentsOf: ReturnType<Types["argumentsBy"]>; answers: readonly AnsweredRows[] };

let types: Types;
const recorded = new Map(databases.map((name) => [name, createRecordedStore(name)]));
const ways = new Map<DatabaseName, Way[]>();

beforeAll(() => {
  types = openTypes([schema, ...modules.map((file) => join(source, file))]);
  const columns = choices.map((choice) => types.columnsOf(schema, "Database", choice));
  for (const [name, { store }] of recorded) {
    const given = (type: string, property?: string): unknown => {
      if (type === "Store") return store;
      if (readers.has(type)) return store.db;
      const isPart = property !== undefined && property !== "file" && property in store;
      return isPart ? store[property as keyof typeof store] : undefined;
    };
    ways.set(
      name,
      choices.map((choice, i) => ({
        argumentsOf: types.argumentsBy(given, choice),
        answers: [1, 0].map((count) => ({ count, columns: columns[i]! })),
      })),
    );
  }
});
afterAll(async () => {
  types?.close();
  for (const { close } of recorded.values()) await close();
});

/** One clause per line. */
const inLines = (sql: string): string =>
  sql.replace(
    / (?=(from|where|(inner|left) join|order by|group by|having|limit|returning|values|set|on conflict|union|for (no key )?(update|key share))\b)/g,
    "\n  ",
  );

/** Whether a call reaches the database; one that doesn't may never end with generated values. */
function getsStore({ store }: { store: Store }, args: readonly unknown[]): boolean {
  const isStore = (value: unknown) => value === store || value === store.db;
  return args.some(
    (arg) => isStore(arg) || (arg && typeof arg === "object" && Object.values(arg).some(isStore)),
  );
}

/** One function's statements on one database, each once, with parameters written alike for both. */
async function statementsOf(name: DatabaseName, file: string, exported: string, call: unknown) {
  const statements = new Set<string>();
  const recorder = recorded.get(name)!;
  for (const { argumentsOf, answers } of ways.get(name)!) {
    const args = argumentsOf(join(source, file), exported);
    if (!args || !getsStore(recorder, args) || typeof call !== "function") continue;
    for (const answer of answers)
      for (const sql of await recorder.record(() => call(...args), answer))
        statements.add(inLines(sql.replace(/\$\d+/g, "?")));
  }
  return statements;
}

const section = (title: string, statements: readonly string[]): string[] =>
  statements.length > 0 ? [[`-- ${title}`, ...statements.map((sql) => `${sql};`)].join("\n")] : [];

async function sqlOf(file: string): Promise<string> {
  const module = (await import(join(source, file))) as Record<string, unknown>;
  const sections: string[] = [];
  for (const name of Object.keys(module).sort()) {
    const [sqlite, postgres] = await Promise.all([
      statementsOf("sqlite", file, name, module[name]),
      statementsOf("postgres", file, name, module[name]),
    ]);
    sections.push(
      ...section(
        name,
        [...postgres].filter((sql) => sqlite.has(sql)),
      ),
      ...section(
        `${name}, on SQLite`,
        [...sqlite].filter((sql) => !postgres.has(sql)),
      ),
      ...section(
        `${name}, on PostgreSQL`,
        [...postgres].filter((sql) => !sqlite.has(sql)),
      ),
    );
  }
  return sections.length > 0 ? `${sections.join("\n\n")}\n` : "";
}

it("the SQL of the store's functions is as reviewed", async () => {
  const written: string[] = [];
  for (const file of modules) {
    const sql = await sqlOf(file);
    if (!sql) continue;
    const path = join(dirname(file), `${basename(file, ".ts")}.sql`);
    written.push(path);
    await expect.soft(sql).toMatchFileSnapshot(join(snapshots, path));
  }
  const left = globSync("**/*.sql", { cwd: snapshots }).filter((path) => !written.includes(path));
  expect(left, "files of modules that are gone").toEqual([]);
});

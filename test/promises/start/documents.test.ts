import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { asset, conversation, message, project, run } from "#contract/entities.ts";
import { packageGroups, trackedFiles } from "../../../scripts/spec/code-tables.ts";
import { columnsOf } from "../../../scripts/spec/data-tables.ts";
import { rooms, testFolders, topLevel } from "../../../scripts/spec/folders.ts";
import { packageWords } from "../../../scripts/spec/packages.ts";
import { readSchema } from "../../../scripts/spec/read-schema.ts";
import { documents, renderTables } from "../../../scripts/spec/render.ts";
import { machines, runMachine, runStepWords } from "../../../scripts/spec/states.ts";
import { tableWords } from "../../../scripts/spec/tables/index.ts";
import type { TableName } from "../../../scripts/spec/tables/words.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const schema = await readSchema();
const tableNames = Object.keys(tableWords) as TableName[];

it.each(documents)(
  "the tables of %s say what the code says (else: node scripts/spec.ts)",
  (path) => {
    const document = readFileSync(join(root, path), "utf8");
    expect(document).toMatch(/<!-- table: /);
    expect(document).toBe(renderTables(document, schema));
  },
);

it("every table and field of the database is described, and nothing else (scripts/spec/tables)", () => {
  expect(tableNames.toSorted()).toEqual(Object.keys(schema).toSorted());
  for (const name of tableNames) {
    const columns = columnsOf(name);
    const known = schema[name]!.columns.map((column) => column.name);
    expect([name, ...Object.keys(columns).toSorted()]).toEqual([name, ...known.toSorted()]);
    for (const { is } of Object.values(columns)) expect(is).toMatch(/\S.*\.$/s);
    for (const { column, table } of schema[name]!.references)
      expect([name, column, columns[column]?.to]).toEqual([name, column, table]);
  }
});

it("every column that holds a state has its states and steps described (scripts/spec/states.ts)", () => {
  const columns = tableNames
    .flatMap((name) => Object.keys(columnsOf(name)).map((column) => `${name}.${column}`))
    .filter((column) => /\.(state|status)$/.test(column) && column !== "run.state");
  expect(columns.filter((column) => !Object.hasOwn(machines, column))).toEqual([]);
  for (const [of, { states, steps }] of Object.entries({ ...machines, run: runMachine })) {
    const reached = new Set<string>(steps.map(([, , to]) => to));
    const idle = Object.entries<string>(states).filter(
      ([state, meaning]) => !reached.has(state) && meaning !== "Reserved.",
    );
    expect([of, idle]).toEqual([of, []]);
  }
  for (const step of Object.values(runStepWords)) expect(step).toMatch(/\.$/);
});

it("every package is described, and none that is gone (scripts/spec/packages.ts)", () => {
  const { server, browser, tests } = packageGroups();
  expect(Object.keys(packageWords).toSorted()).toEqual(
    [...server, ...browser, ...tests].toSorted(),
  );
});

it("every entry of the top level, of src and of test is described (scripts/spec/folders.ts)", () => {
  const files = trackedFiles();
  const entries = (depth: number, under = "") => [
    ...new Set(
      files
        .filter((path) => path.startsWith(under))
        .map((path) => path.split("/").slice(0, depth).join("/"))
        .filter((path) => !path.endsWith(".test.ts")),
    ),
  ];
  const isFolder = (path: string) => files.some((file) => file.startsWith(`${path}/`));
  const top = entries(1).map((path) => (isFolder(path) ? `${path}/` : path));
  expect(Object.keys(topLevel).toSorted()).toEqual(top.toSorted());
  expect(Object.keys(rooms).toSorted()).toEqual(entries(2, "src/").toSorted());
  expect(Object.keys(testFolders).toSorted()).toEqual(entries(2, "test/").toSorted());
});

it("each example of docs/SPEC.md matches the contract's schema", () => {
  const document = readFileSync(join(root, "docs", "SPEC.md"), "utf8");
  const shapes = { project, conversation, message, run, asset };
  const examples = new Map(
    [...document.matchAll(/<!-- example: (\w+) -->\n```json\n([\s\S]*?)```/g)].map(
      ([, name, text]) => [name!, JSON.parse(text!)] as const,
    ),
  );
  expect([...examples.keys()].toSorted()).toEqual(Object.keys(shapes).toSorted());
  for (const [name, shape] of Object.entries(shapes))
    expect(shape.strict().parse(examples.get(name))).toEqual(examples.get(name));
});

it("docs/SPEC.md has a diagram for each flow", () => {
  const document = readFileSync(join(root, "docs", "SPEC.md"), "utf8");
  for (const flow of ["First start", "Ask", "Make", "Decide", "Share", "Restore"]) {
    const [, section = ""] = document.split(`\n### ${flow}\n`);
    expect([flow, section.split("\n### ")[0]]).toEqual([
      flow,
      expect.stringContaining("```mermaid"),
    ]);
  }
});

it("every link between documents leads to a file and a heading", () => {
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md"))
      .map((path) => join("docs", path)),
  ];
  const anchors = (file: string) =>
    [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    );
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)]
      .map(([, target]) => target!)
      .filter((target) => {
        const [path, anchor] = target.split("#");
        const file = path ? join(root, dirname(page), path) : join(root, page);
        if (!existsSync(file)) return true;
        return anchor ? !anchors(file).includes(anchor) : false;
      })
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

it("every test that docs/promises.md names exists, and every promise names one", () => {
  const document = readFileSync(join(root, "docs", "promises.md"), "utf8");
  const named = [...document.matchAll(/`([\w./-]+\.test\.ts)` "([^"]+)"/g)];
  const missing = named.filter(([, file, title]) => {
    const source = readFileSync(join(root, "test", "promises", file!), "utf8");
    // A title may contain placeholders that are filled at run time.
    return !source.includes(title!);
  });
  expect(missing.map(([line]) => line)).toEqual([]);
  const rows = document
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| ?\| |^\| (fault|killed) \|/.test(line));
  expect(rows.filter((row) => !row.includes(".test.ts`"))).toEqual([]);
  expect(rows.length).toBeGreaterThan(35);
});

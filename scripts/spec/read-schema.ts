import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "#store/database/migrate.ts";
import { openSqlite } from "#store/database/sqlite.ts";

export type ColumnFacts = { name: string; type: string; nullable: boolean; key: boolean };
type IndexFacts = { columns: string; unique: boolean; where: string };
type ReferenceFacts = { column: string; table: string; onDelete: string };
export type TableFacts = {
  columns: ColumnFacts[];
  indexes: IndexFacts[];
  references: ReferenceFacts[];
};

/** Columns that only SQLite needs: the key that its full-text index refers to. */
const sqliteOnly = "row";

/** Every table of a new SQLite database. */
export async function readSchema(): Promise<Record<string, TableFacts>> {
  const folder = mkdtempSync(join(tmpdir(), "bottega-spec-"));
  try {
    const file = join(folder, "bottega.db");
    const store = openSqlite(file, { monotonic: () => 0 });
    await migrate(store, 0);
    await store.close();
    const database = new DatabaseSync(file, { readOnly: true });
    const tables = database
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like '%\\_fts%' escape '\\' and name not like 'kysely%' and name not like 'sqlite%' order by name",
      )
      .all()
      .map((row) => String(row.name));
    const facts = Object.fromEntries(tables.map((name) => [name, readTable(database, name)]));
    database.close();
    return facts;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readTable(database: DatabaseSync, table: string): TableFacts {
  const all = (text: string) => database.prepare(text).all();
  const columns = all(`pragma table_info("${table}")`)
    .map((row) => ({
      name: String(row.name),
      type: String(row.type).toLowerCase(),
      nullable: row.notnull === 0,
      key: Number(row.pk) > 0,
    }))
    .filter((column) => column.name !== sqliteOnly);
  // Where SQLite's key is `row`, PostgreSQL's is `id`.
  const keyed = columns.some((column) => column.key)
    ? columns
    : columns.map((column) => ({ ...column, key: column.name === "id" }));
  const indexes = all(`pragma index_list("${table}")`)
    .filter((row) => row.origin !== "pk")
    .map((row) => readIndex(database, String(row.name), row.unique === 1));
  const keyColumns = keyed
    .filter((column) => column.key)
    .map((column) => column.name)
    .join(", ");
  return {
    columns: keyed,
    indexes: indexes.filter((index) => index.columns !== keyColumns).sort(byText),
    references: all(`pragma foreign_key_list("${table}")`).map((row) => ({
      column: String(row.from),
      table: String(row.table),
      onDelete: String(row.on_delete).toLowerCase(),
    })),
  };
}

const byText = (a: IndexFacts, b: IndexFacts): number => (a.columns < b.columns ? -1 : 1);

/** An index according to its own statement, including expressions and order. */
function readIndex(database: DatabaseSync, name: string, unique: boolean): IndexFacts {
  const made = database.prepare("select sql from sqlite_master where name = ?").get(name);
  if (typeof made?.sql === "string") {
    const parts = /\bon\s+"?\w+"?\s*\(([\s\S]*)\)\s*(?:where\s+([\s\S]*))?$/i.exec(made.sql.trim());
    if (!parts) throw new Error(`index ${name} can't be read`);
    const plain = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll('"', "").trim();
    // A greedy first group would include a condition that ends in a parenthesis.
    const [columns, inner] = parts[1]!.split(/\)\s*where\s+/i);
    return {
      columns: plain(columns!),
      unique,
      where: plain(inner === undefined ? (parts[2] ?? "") : `${inner})`),
    };
  }
  const columns = database
    .prepare(`pragma index_info("${name}")`)
    .all()
    .map((row) => String(row.name));
  return { columns: columns.join(", "), unique, where: "" };
}

import { sql } from "kysely";
import { expect, it } from "vitest";
import { searchMessages } from "#store/content/conversation-lists.ts";
import { appliedMigrations, migrate, migrateTo, migrationNames } from "#store/database/migrate.ts";
import { chainFor } from "#store/database/migrations/index.ts";
import type { Store } from "#store/database/store.ts";
import { keptTables } from "#store/database/table-list.ts";
import { forEachEmptyDatabase } from "../../support/databases/databases.ts";
import { openStored, storedReleases } from "../../support/databases/stored.ts";
import { structureOf } from "../../support/databases/structure.ts";
import { openTestStore } from "../../support/databases/test-store.ts";

type Row = Record<string, unknown>;

/** Every row of the existing kept tables, by table. */
async function rowsOf(store: Store): Promise<Map<string, Row[]>> {
  const present = await store.db.introspection.getTables();
  const rows = new Map<string, Row[]>();
  for (const table of keptTables.filter((name) => present.some((one) => one.name === name)))
    rows.set(table, (await sql<Row>`select * from ${sql.table(table)}`.execute(store.db)).rows);
  return rows;
}

/** A row of 0.1 with the names of 0.2. */
function inNewWords(table: string, { concurrency, failures, paused_until, ...row }: Row): Row {
  if (table === "run")
    return { ...row, state: row.state === "unknown" ? "unconfirmed" : row.state };
  if (table === "run_event" && row.type === "run-settled")
    return {
      ...row,
      payload: String(row.payload).replace(/^{"state":"unknown"/, '{"state":"unconfirmed"'),
    };
  // SQLite has a message's words only in its index.
  if (table === "message" && "row" in row) return { ...row, search: "" };
  // They stay for an import; only connections lost theirs.
  return table === "project_import" ? { ...row, failures } : row;
}

/** Models have a family, which a migration derives from their names. */
const withoutAdded = (table: string, row: Row): Row =>
  table === "model" ? { ...row, facts: String(row.facts).replace(/family:\S+ /g, "") } : row;

const only = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, row[column]]));
/** Rows in an order that doesn't depend on the database. */
const inOrder = (rows: Row[]): string[] =>
  rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();

forEachEmptyDatabase((name, create) => {
  it("a database migrated from 0.1 is the same as a new one", async () => {
    const [old, fresh] = [openTestStore(await create()), openTestStore(await create())];
    await migrateTo(old, Object.keys(chainFor(name)).at(-2)!);
    await Promise.all([migrate(old, 0), migrate(fresh, 0)]);
    expect(await structureOf(old)).toEqual(await structureOf(fresh));
    expect(await appliedMigrations(old)).toEqual(migrationNames);
    expect(await appliedMigrations(fresh)).toEqual(migrationNames);
  });

  it.each(storedReleases)(
    "a database of %s is brought to the newest schema with every row",
    async (release) => {
      const [stored, fresh] = [
        openTestStore(await openStored(release, name)),
        openTestStore(await create()),
      ];
      const before = await rowsOf(stored);
      await Promise.all([migrate(stored, 0), migrate(fresh, 0)]);
      expect(await structureOf(stored)).toEqual(await structureOf(fresh));
      expect(await appliedMigrations(stored)).toEqual(migrationNames);
      const after = await rowsOf(stored);
      for (const [table, rows] of before) {
        const expected = rows.map((row) => inNewWords(table, row));
        const columns = Object.keys(expected[0] ?? {});
        const found = after.get(table)!.map((row) => only(withoutAdded(table, row), columns));
        expect(inOrder(found), table).toEqual(inOrder(expected));
      }
      expect(before.get("run")!.some(({ state }) => state === "unknown")).toBe(true);
      const { project_id, user_id } = after.get("conversation")![0]!;
      const asked = { projectId: String(project_id), userId: String(user_id), limit: 5 };
      expect(await searchMessages(stored, { ...asked, q: "harb" })).not.toEqual([]);
      if (name === "sqlite") {
        // Incremental: it returns the space of deleted rows.
        expect((await sql`pragma auto_vacuum`.execute(stored.db)).rows).toEqual([
          { auto_vacuum: 2 },
        ]);
        const { rows } = await sql`pragma foreign_key_check`.execute(stored.db);
        expect(rows).toEqual([]);
        expect((await sql`pragma foreign_keys`.execute(stored.db)).rows).toEqual([
          { foreign_keys: 1 },
        ]);
      }
    },
  );

  it("servers that start together on a database of 0.1 all find the newest schema", async () => {
    const database = await openStored("0.1", name);
    const stores = Array.from({ length: name === "sqlite" ? 1 : 4 }, () => openTestStore(database));
    await Promise.all(stores.map((store) => migrate(store, 0)));
    for (const store of stores) expect(await appliedMigrations(store)).toEqual(migrationNames);
  });
});

import { existsSync } from "node:fs";
import pg from "pg";
import { expect, inject, it } from "vitest";
import { appliedMigrations, migrate } from "#store/database/migrate.ts";
import { ensureInstance } from "#store/people/people.ts";
import {
  createPostgresDatabase,
  createTestDatabase,
  databaseNames,
  forEachDatabase,
  forEachEmptyDatabase,
} from "../../support/databases/databases.ts";
import { openTestStore } from "../../support/databases/test-store.ts";
import "../../support/contracts/run-context.ts";

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

it("the PostgreSQL of the tests is a real one of version 15 or newer that commits before it answers", async () => {
  const url = await createPostgresDatabase();
  const [row] = await query(
    url,
    "select current_setting('server_version_num')::int as version, current_setting('synchronous_commit') as waits",
  );
  expect(row).toMatchObject({ waits: "on" });
  expect(Number(row?.version)).toBeGreaterThanOrEqual(150_000);
});

it("each test gets its own empty PostgreSQL database", async () => {
  const [first, second] = await Promise.all([createPostgresDatabase(), createPostgresDatabase()]);
  await query(first, "create table kept (id integer)");
  expect(
    await query(second, "select tablename from pg_tables where schemaname = 'public'"),
  ).toEqual([]);
});

it("two test databases never share a data folder, and both are in the run's own folder", async () => {
  const [first, second] = [await createTestDatabase("sqlite"), await createTestDatabase("sqlite")];
  expect(first.dataFolder).not.toBe(second.dataFolder);
  for (const { dataFolder } of [first, second]) {
    expect(dataFolder.startsWith(inject("runFolder"))).toBe(true);
    expect(existsSync(dataFolder)).toBe(true);
  }
});

const seen: string[] = [];
forEachDatabase((_, create) => {
  it("each test gets a database with the newest schema and no rows of another test", async () => {
    const first = openTestStore(await create());
    expect(await migrate(first, 0)).toEqual({});
    await first.write((tx) => ensureInstance(tx, "instance", 0));
    const second = openTestStore(await create());
    expect(await second.db.selectFrom("instance").selectAll().execute()).toEqual([]);
  });
});

forEachEmptyDatabase((_, create) => {
  it("a test of a first start gets a database without a schema", async () => {
    expect(await appliedMigrations(openTestStore(await create()))).toEqual([]);
  });
});

forEachDatabase((name, create) => {
  it("a promise is tested on this database", async () => {
    const { databaseUrl, env } = await create();
    seen.push(name);
    expect(databaseUrl?.startsWith("postgres://") ?? false).toBe(name === "postgres");
    expect("DATABASE_URL" in env).toBe(name === "postgres");
  });
});

it("a promise is tested on every database of this run", () => {
  expect(seen).toEqual(databaseNames);
});

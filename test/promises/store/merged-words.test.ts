import { type KyselyPlugin, sql, ValueNode } from "kysely";
import { expect, it } from "vitest";
import { doChores } from "#engine/recover/chores.ts";
import { mergeWords } from "#store/database/merged-words.ts";
import { migrate, migrateTo } from "#store/database/migrate.ts";
import type { Store } from "#store/database/store.ts";
import type { Commit } from "#store/runs/unit.ts";
import { createEmptyDatabase, createTestDatabase } from "../../support/databases/databases.ts";
import { fillStore, fullRows } from "../../support/databases/full-store.ts";
import { at } from "../../support/databases/store-rows.ts";
import { openTestStore } from "../../support/databases/test-store.ts";
import { createInstance } from "../../support/server/instance.ts";

const dayMs = 24 * 60 * 60_000;
const maxPages = 32;
const indexes = ["asset_fts", "message_fts"];

/** The size of the word index in the file, in bytes. */
async function bytesOf(store: Store, index: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select sum(length(block)) as bytes from ${sql.table(`${index}_data`)}`.execute(store.db);
  return rows[0]!.bytes;
}

const deletedOf = async (store: Store, index: string): Promise<number> =>
  (
    await sql<{ deleted: number }>`select deleted from stale_fts where name = ${index}`.execute(
      store.db,
    )
  ).rows[0]!.deleted;

/** Merges like the daily chore, or (without `before`) between the slices of a purge. */
async function mergeAll(store: Store, at: number, before?: number): Promise<number> {
  let steps = 0;
  while (await store.write((tx) => mergeWords(tx, { at, pages: 500, before }))) steps++;
  return steps;
}

it("no full-text index that forgets rows merges inside the statement that deletes one", async () => {
  const store = openTestStore(await createTestDatabase("sqlite"));
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where sql like '%contentless_delete = 1%' order by name`.execute(
    store.db,
  );
  expect(rows.map(({ name }) => name)).toEqual(indexes);
  for (const name of indexes) {
    const option =
      await sql`select v from ${sql.table(`${name}_config`)} where k = 'deletemerge'`.execute(
        store.db,
      );
    expect(option.rows).toEqual([{ v: 0 }]);
  }
});

it("words of deleted messages and files leave the database by a chore, some pages at a time", async () => {
  const clock = { now: () => at + 40 * dayMs, monotonic: () => performance.now() };
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    clock,
    start: false,
  });
  await fillStore(instance.store);
  await instance.store.write(async (tx) => {
    await tx.updateTable("conversation").set({ trashed_at: at }).execute();
    await tx.updateTable("asset").set({ trashed_at: at }).execute();
  });
  const before = await Promise.all(indexes.map((index) => bytesOf(instance.store, index)));

  const merged: number[] = [];
  const watch: KyselyPlugin = {
    transformQuery({ node }) {
      if (node.kind === "RawNode" && node.sqlFragments.some((part) => part.includes("'merge'")))
        for (const parameter of node.parameters)
          if (ValueNode.is(parameter)) merged.push(Number(parameter.value));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const commit: Commit = (work) =>
    instance.commit((unit) => work({ ...unit, tx: unit.tx.withPlugin(watch) }));
  await doChores({ ...instance.engineDeps, commit });

  expect(merged.length).toBeGreaterThan(indexes.length);
  expect(Math.max(...merged.map(Math.abs))).toBeLessThanOrEqual(maxPages);
  for (const [i, index] of indexes.entries())
    expect(await bytesOf(instance.store, index)).toBeLessThan(before[i]! / 100);
});

it("an index is merged after many deletions, otherwise once a day, and not without any", async () => {
  const store = openTestStore(await createTestDatabase("sqlite"));
  await fillStore(store);
  expect(await mergeAll(store, at, at)).toBe(0);
  const forget = (rows: number) =>
    store.write((tx) =>
      sql`delete from message where "row" in (select "row" from message limit ${rows})`.execute(tx),
    );

  await forget(10);
  expect(await deletedOf(store, "message_fts")).toBe(10);
  expect(await mergeAll(store, at)).toBe(0);
  expect(await mergeAll(store, at, at - dayMs)).toBeGreaterThan(0);
  await forget(10);
  expect(await mergeAll(store, at + dayMs, at)).toBe(0);
  expect(await mergeAll(store, at + dayMs + 1, at + 1)).toBeGreaterThan(0);
  expect(await mergeAll(store, at + 9 * dayMs, at + 8 * dayMs)).toBe(0);

  await sql`update stale_fts set deleted = 4999 where name = 'message_fts'`.execute(store.db);
  expect(await mergeAll(store, at)).toBe(0);
  await forget(1);
  expect(await mergeAll(store, at)).toBeGreaterThan(0);
});

it("files moved to another project leave rows behind, which count as deleted", async () => {
  const store = openTestStore(await createTestDatabase("sqlite"));
  await fillStore(store);
  const move = (project_id: string) =>
    store.db
      .updateTable("asset")
      .set({ project_id })
      .where("project_id", "=", "project-1")
      .executeTakeFirstOrThrow();
  await move("project-1");
  expect(await deletedOf(store, "asset_fts")).toBe(0);
  const { numUpdatedRows } = await move("project-2");
  expect(numUpdatedRows).toBeGreaterThan(100n);
  expect(await deletedOf(store, "asset_fts")).toBe(Number(numUpdatedRows));
});

it("a merge interrupted by new words loses none of them, and completes", async () => {
  const store = openTestStore(await createTestDatabase("sqlite"));
  await fillStore(store);
  await sql`delete from message where "row" % 2 = 0`.execute(store.db);
  const add = (i: number) =>
    sql`update message set search = ${`late word${i}`} where "row" = ${2 * i + 1}`.execute(
      store.db,
    );
  let steps = 0;
  for (; await store.write((tx) => mergeWords(tx, { at, pages: 5, before: at })); steps++)
    if (steps < fullRows / 4) await add(steps);
  expect(steps).toBeGreaterThan(10);
  expect(steps).toBeLessThan(fullRows);
  const found =
    await sql`select id from message where ${store.search("message", ["late"], "project-0")}`.execute(
      store.db,
    );
  // Every tenth of them is in this project.
  expect(found.rows.length).toBe(Math.ceil(Math.min(steps, fullRows / 4) / 10));
  await sql`insert into message_fts (message_fts) values ('integrity-check')`.execute(store.db);
});

it("an older database gets the option, and its indexes are merged once", async () => {
  const store = openTestStore(await createEmptyDatabase("sqlite"));
  await migrateTo(store, "0140-decisions");
  await fillStore(store, ["run_webhook"]);
  await migrate(store, at);
  for (const index of indexes) {
    const option =
      await sql`select v from ${sql.table(`${index}_config`)} where k = 'deletemerge'`.execute(
        store.db,
      );
    expect(option.rows).toEqual([{ v: 0 }]);
    expect(await deletedOf(store, index)).toBe(1);
  }
  expect(await mergeAll(store, at, at)).toBeGreaterThan(1);
});

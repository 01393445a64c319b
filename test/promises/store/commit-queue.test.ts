import { sql } from "kysely";
import { expect, it } from "vitest";
import { isTransient } from "#engine/persist.ts";
import { migrate } from "#store/database/migrate.ts";
import type { Store, Tx } from "#store/database/store.ts";
import { createTestDatabase, forEachDatabase } from "../../support/databases/databases.ts";
import { openTestStore } from "../../support/databases/test-store.ts";

const insert = (tx: Tx, id: string) =>
  tx.insertInto("worker").values({ id, boot_id: "b", beat: 0, host: "h", started_at: 0 }).execute();
const idsOf = async (store: Store): Promise<string[]> =>
  (await store.read.selectFrom("worker").select("id").orderBy("id").execute()).map((row) => row.id);

/** A clock that stands still, so that an SQLite transaction takes every waiting unit. */
const still = { monotonic: () => 0 };

forEachDatabase((_, create) => {
  it("a unit that throws is rolled back alone, and the others are committed", async () => {
    const store = openTestStore(await create());
    await migrate(store, 0);
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_item, i) =>
        store.write(async (tx) => {
          await insert(tx, `${100 + i}`);
          if (i % 3 === 0) throw new Error(`unit ${i}`);
          return i;
        }),
      ),
    );
    expect(results.filter((result) => result.status === "rejected")).toHaveLength(10);
    expect(await idsOf(store)).toEqual(
      Array.from({ length: 30 }, (_item, i) => i).flatMap((i) => (i % 3 ? `${100 + i}` : [])),
    );
  });

  it("a unit refused because of another unit's write learns it at once", async () => {
    const store = openTestStore(await create(), still);
    await migrate(store, 0);
    await idsOf(store);
    const found = await Promise.all(
      Array.from({ length: 20 }, () =>
        store
          .write((tx) => insert(tx, "the one"))
          .then(
            () => 1,
            async () => (await idsOf(store)).length,
          ),
      ),
    );
    expect(found).toEqual(found.map(() => 1));
  });

  it("a failed commit fails its unit, and saves nothing of it", async () => {
    const store = openTestStore(await create());
    await migrate(store, 0);
    if (store.engine === "postgres")
      await sql`create table late (id text unique deferrable initially deferred)`.execute(store.db);
    const failing = store.write(async (tx) => {
      await insert(tx, "with the failing one");
      // Checked at the commit, not before.
      if (store.engine === "postgres") await sql`insert into late values ('a'), ('a')`.execute(tx);
      else {
        await sql`pragma defer_foreign_keys = on`.execute(tx);
        await sql`insert into project_member (project_id, user_id, role, created_at) values ('none', 'none', 'viewer', 0)`.execute(
          tx,
        );
      }
    });
    await expect(failing).rejects.toThrow();
    expect(await idsOf(store)).toEqual([]);
    await store.write((tx) => insert(tx, "afterwards"));
    expect(await idsOf(store)).toEqual(["afterwards"]);
  });
});

it("on SQLite many units share one commit: when the first is reported, all of them are saved", async () => {
  const store = openTestStore(await createTestDatabase("sqlite"), still);
  await migrate(store, 0);
  const units = Array.from({ length: 100 }, (_item, i) => store.write((tx) => insert(tx, `${i}`)));
  await Promise.race(units);
  expect(await idsOf(store)).toHaveLength(100);
  await Promise.all(units);
});

it("on SQLite a failed commit fails every unit in it, and none is told that it succeeded", async () => {
  const store = openTestStore(await createTestDatabase("sqlite"), still);
  await migrate(store, 0);
  const units = Array.from({ length: 10 }, (_item, i) =>
    store.write(async (tx) => {
      await insert(tx, `${i}`);
      if (i !== 5) return;
      await sql`pragma defer_foreign_keys = on`.execute(tx);
      await sql`insert into project_member (project_id, user_id, role, created_at) values ('none', 'none', 'viewer', 0)`.execute(
        tx,
      );
    }),
  );
  const results = await Promise.allSettled(units);
  expect(new Set(results.map((result) => result.status))).toEqual(new Set(["rejected"]));
  expect(await idsOf(store)).toEqual([]);
});

it("on SQLite each unit of a transaction in which two fail gets its own outcome, and failed units aren't rerun", async () => {
  const store = openTestStore(await createTestDatabase("sqlite"), still);
  await migrate(store, 0);
  const runs = new Map<number, number>();
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_item, i) =>
      store.write(async (tx) => {
        runs.set(i, (runs.get(i) ?? 0) + 1);
        await insert(tx, `${i}`);
        if (i === 4 || i === 7) throw new Error(`unit ${i}`);
        return (await tx.selectFrom("worker").select("id").execute()).length;
      }),
    ),
  );
  const told = results.map((result) =>
    result.status === "fulfilled" ? result.value : String(result.reason),
  );
  expect(told).toEqual([1, 2, 3, 4, "Error: unit 4", 5, 6, "Error: unit 7", 7, 8]);
  expect(await idsOf(store)).toEqual(["0", "1", "2", "3", "5", "6", "8", "9"]);
  expect([runs.get(4), runs.get(7)]).toEqual([1, 1]);
});

it("on SQLite a full disk is reported as what it is to every unit of the transaction: what must not be lost is tried again", async () => {
  const store = openTestStore(await createTestDatabase("sqlite"), still);
  await migrate(store, 0);
  const { page_count: pages } = (
    await sql<{ page_count: number }>`pragma page_count`.execute(store.db)
  ).rows[0]!;
  await sql.raw(`pragma max_page_count = ${pages}`).execute(store.db);
  const write = (id: string, text: string) => () =>
    store.write((tx) =>
      tx
        .insertInto("worker")
        .values({ id, boot_id: text, beat: 0, host: "h", started_at: 0 })
        .execute(),
    );
  const small = Array.from({ length: 5 }, (_item, i) => write(`${i}`, "b"));
  const units = [...small, write("large", "x".repeat(100_000)), write("last", "b")];
  const results = await Promise.allSettled(units.map((unit) => unit()));
  const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(errors.length).toBeGreaterThan(1);
  expect(errors.map(isTransient)).toEqual(errors.map(() => true));
  await sql`pragma max_page_count = 1000000`.execute(store.db);
  for (const [i, result] of results.entries()) if (result.status === "rejected") await units[i]!();
  expect(await idsOf(store)).toEqual(["0", "1", "2", "3", "4", "large", "last"]);
});

it("on SQLite a transaction that the database rolled back itself fails every unit in it, and the next one works", async () => {
  const store = openTestStore(await createTestDatabase("sqlite"), still);
  await migrate(store, 0);
  const units = Array.from({ length: 5 }, (_item, i) =>
    store.write(async (tx) => {
      await insert(tx, `${i}`);
      // A full disk or an I/O error does the same.
      if (i === 2)
        await sql`insert or rollback into worker (id, boot_id, beat, host, started_at) values ('0', 'b', 0, 'h', 0)`.execute(
          tx,
        );
    }),
  );
  const results = await Promise.allSettled(units);
  expect(results.slice(0, 3).map((result) => result.status)).toEqual([
    "rejected",
    "rejected",
    "rejected",
  ]);
  const kept = await idsOf(store);
  expect(kept).toEqual(
    results.flatMap((result, i) => (result.status === "fulfilled" ? [`${i}`] : [])),
  );
  await store.write((tx) => insert(tx, "next"));
  expect(await idsOf(store)).toEqual([...kept, "next"]);
});

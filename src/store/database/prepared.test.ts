import { sql } from "kysely";
import { expect, test } from "vitest";
import { prepared, preparedChange, preparedRows } from "./prepared.ts";
import type { WorkerRow } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";

const findHost = prepared((db, { id }: { id: string }) =>
  db.selectFrom("worker").select(["id", "host"]).where("id", "=", id),
);
/** The columns of the worker table itself. */
type Row = Omit<WorkerRow, "key_known" | "key_used">;

const insertRow = prepared((db, row: Row) => db.insertInto("worker").values(row));
const changeRow = prepared((db, { workerId, ...set }: Partial<WorkerRow> & { workerId: string }) =>
  db.updateTable("worker").set(set).where("id", "=", workerId).returningAll(),
);

const beat = preparedChange((db, { host, most }: { host: string; most: number }) =>
  db
    .updateTable("worker")
    .set((e) => ({ beat: e("beat", "+", 1) }))
    .where("host", "!=", host)
    .where("beat", "<", most),
);

const insertRows = preparedRows((db, rows: Row[]) => db.insertInto("worker").values(rows));

async function openWorkers() {
  const store = openSqlite(":memory:", { monotonic: () => 0 });
  await sql`create table worker (id text primary key, boot_id text, beat integer, host text, started_at integer)`.execute(
    store.db,
  );
  for (const id of ["a", "b"])
    await insertRow(store.db, {
      id,
      boot_id: "boot",
      beat: 1,
      host: `host of ${id}`,
      started_at: 1,
    });
  return store;
}

test("a prepared query uses its own call's values, however many run at once", async () => {
  const { db, close } = await openWorkers();
  const rows = await Promise.all(["a", "b", "c", "a"].map((id) => findHost(db, { id })));
  expect(rows.map(([row]) => row?.host)).toEqual([
    "host of a",
    "host of b",
    undefined,
    "host of a",
  ]);
  await close();
});

test("a prepared change writes the given columns, including null, and ignores undefined", async () => {
  const { db, close } = await openWorkers();
  expect(await changeRow(db, { workerId: "a", beat: 2, host: "new" })).toMatchObject([
    { beat: 2, host: "new" },
  ]);
  expect(await changeRow(db, { workerId: "a", beat: 3, host: undefined })).toMatchObject([
    { beat: 3, host: "new" },
  ]);
  expect(await changeRow(db, { workerId: "a", beat: 4, host: null as never })).toMatchObject([
    { beat: 4, host: null },
  ]);
  expect(await findHost(db, { id: "b" })).toEqual([{ id: "b", host: "host of b" }]);
  await close();
});

test("a prepared query is compiled for the database that it runs on", async () => {
  const [first, second] = [await openWorkers(), await openWorkers()];
  await changeRow(second.db, { workerId: "a", host: "elsewhere" });
  expect(await findHost(first.db, { id: "a" })).toEqual([{ id: "a", host: "host of a" }]);
  expect(await findHost(second.db, { id: "a" })).toEqual([{ id: "a", host: "elsewhere" }]);
  await Promise.all([first.close(), second.close()]);
});

test.each(["in a unit of work", "outside of one"])(
  "a prepared change returns the number of changed rows, %s",
  async (where) => {
    const { db, write, close } = await openWorkers();
    const run = <T>(work: (reader: typeof db) => Promise<T>): Promise<T> =>
      where === "in a unit of work" ? write(work) : work(db);
    expect(await run((tx) => beat(tx, { host: "nobody's", most: 2 }))).toBe(2);
    expect(await run((tx) => beat(tx, { host: "nobody's", most: 2 }))).toBe(0);
    expect(await run((tx) => findHost(tx, { id: "a" }))).toEqual([{ id: "a", host: "host of a" }]);
    expect(await run((tx) => changeRow(tx, { workerId: "a", host: "new" }))).toMatchObject([
      { id: "a", beat: 2, host: "new" },
    ]);
    await close();
  },
);

test("prepared rows are inserted unchanged, however many, in any column order", async () => {
  const { db, close } = await openWorkers();
  const rowOf = (id: string): Row => ({
    id,
    boot_id: "boot",
    beat: 7,
    host: `host of ${id}`,
    started_at: 2,
  });
  const turned = ({ started_at, host, beat, boot_id, id }: Row): Row => ({
    started_at,
    host,
    beat,
    boot_id,
    id,
  });
  const some = (count: number, of: string) =>
    Array.from({ length: count }, (_, i) => rowOf(`${of}${String(i).padStart(2, "0")}`));
  await insertRows(db, []);
  for (const rows of [some(1, "one "), some(2, "two "), some(3, "three "), some(40, "many ")])
    await insertRows(db, rows);
  await insertRows(db, some(2, "turned ").map(turned));
  const kept = await db.selectFrom("worker").selectAll().where("beat", "=", 7).execute();
  const given = [
    ...some(1, "one "),
    ...some(2, "two "),
    ...some(3, "three "),
    ...some(40, "many "),
    ...some(2, "turned "),
  ];
  expect(kept.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
    given.sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  await close();
});

test("prepared queries are rolled back with their unit of work", async () => {
  const { db, write, close } = await openWorkers();
  const failed = write(async (tx) => {
    await changeRow(tx, { workerId: "a", host: "new" });
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect(await findHost(db, { id: "a" })).toEqual([{ id: "a", host: "host of a" }]);
  await close();
});

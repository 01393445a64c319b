import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { migrate } from "#store/database/migrate.ts";
import { openPostgres } from "#store/database/postgres.ts";
import type { Store, Tx } from "#store/database/store.ts";
import { createPostgresDatabase } from "../../support/databases/databases.ts";
import { type Door, startDoor } from "../../support/databases/postgres-door.ts";

const insert = (tx: Tx, id: string) =>
  tx.insertInto("worker").values({ id, boot_id: "b", beat: 0, host: "h", started_at: 0 }).execute();
const idsOf = async (store: Store): Promise<string[]> =>
  (await store.read.selectFrom("worker").select("id").orderBy("id").execute()).map((row) => row.id);

/** A store whose connections can be broken at their commit. */
async function openBehindDoor(): Promise<{ store: Store; door: Door }> {
  const door = await startDoor(await createPostgresDatabase());
  const store = openPostgres(door.url, () => undefined);
  onTestFinished(() => store.close());
  await migrate(store, 0);
  return { store, door };
}

it.each(["lose-request", "lose-reply"] as const)(
  "a connection that breaks at the commit (%s) leaves no doubt: the unit is done once, and reported as done",
  async (fate) => {
    const { store, door } = await openBehindDoor();
    door.onCommit((count) => (count === 1 ? fate : "pass"));
    let times = 0;
    const told = await store.write(async (tx) => {
      times++;
      await insert(tx, `unit ${times}`);
      return times;
    });
    expect(told).toBe(fate === "lose-reply" ? 1 : 2);
    expect(await idsOf(store)).toEqual([`unit ${told}`]);
  },
);

it("a commit's outcome is queried for as long as the database is away", async () => {
  const { store, door } = await openBehindDoor();
  door.onCommit(() => {
    setImmediate(() => door.shut());
    return "lose-reply";
  });
  let times = 0;
  const told = store.write(async (tx) => {
    times++;
    await insert(tx, "the one");
  });
  while (door.waiting() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  door.onCommit(() => "pass");
  door.open();
  door.refuse();
  await told;
  expect(times).toBe(1);
  expect(await idsOf(store)).toEqual(["the one"]);
});

it.each(["40001", "40P01", "25P03"])(
  "a unit that PostgreSQL aborts with %s is retried, and nothing of the first try is saved",
  async (code) => {
    const { store } = await openBehindDoor();
    let times = 0;
    await store.write(async (tx) => {
      times++;
      await insert(tx, `unit ${times}`);
      if (times < 3)
        await sql`do ${sql.raw(`$$ begin raise exception 'again' using errcode = '${code}'; end $$`)}`.execute(
          tx,
        );
    });
    expect(await idsOf(store)).toEqual(["unit 3"]);
  },
);

it("two units that wait for each other's rows are both completed", async () => {
  const { store } = await openBehindDoor();
  await store.write(async (tx) => {
    await insert(tx, "a");
    await insert(tx, "b");
  });
  let arrived = 0;
  const meet = Promise.withResolvers<void>();
  const beat = (tx: Tx, id: string) =>
    tx
      .updateTable("worker")
      .set((e) => ({ beat: e("beat", "+", 1) }))
      .where("id", "=", id)
      .execute();
  const crossing = (first: string, second: string) =>
    store.write(async (tx) => {
      await beat(tx, first);
      if (++arrived === 2) meet.resolve();
      await meet.promise;
      await beat(tx, second);
    });
  await Promise.all([crossing("a", "b"), crossing("b", "a")]);
  expect(await store.read.selectFrom("worker").select("beat").execute()).toEqual([
    { beat: 2 },
    { beat: 2 },
  ]);
});

it("a unit whose backend is ended in the middle is retried on another connection", async () => {
  const { store } = await openBehindDoor();
  let times = 0;
  await store.write(async (tx) => {
    times++;
    await insert(tx, `unit ${times}`);
    if (times === 1) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
  });
  expect(await idsOf(store)).toEqual(["unit 2"]);
});

it("more units than connections wait for their turn, and all complete", async () => {
  const { store } = await openBehindDoor();
  await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      store.write(async (tx) => {
        await insert(tx, `${100 + i}`);
        await sql`select pg_sleep(0.02)`.execute(tx);
      }),
    ),
  );
  expect(await idsOf(store)).toHaveLength(60);
});

it("a frozen server's unit is aborted by PostgreSQL, which releases its locks; resumed, it is retried", async () => {
  const url = await createPostgresDatabase();
  const [frozen, other] = [url, url].map((one) => openPostgres(one, () => undefined)) as [
    Store,
    Store,
  ];
  onTestFinished(async () => void (await Promise.all([frozen.close(), other.close()])));
  await migrate(other, 0);
  const held = Promise.withResolvers<void>();
  const thaw = Promise.withResolvers<void>();
  let limit: unknown;
  let times = 0;
  const unit = frozen.write(async (tx) => {
    times++;
    await frozen.lockName(tx, "one");
    if (times === 1) {
      limit = (await sql`show idle_in_transaction_session_timeout`.execute(tx)).rows[0];
      await sql`set local idle_in_transaction_session_timeout = 50`.execute(tx);
      held.resolve();
      await thaw.promise;
    }
    await insert(tx, `unit ${times}`);
  });
  await held.promise;
  await other.write((tx) => other.lockName(tx, "one"));
  thaw.resolve();
  await unit;
  expect(await idsOf(other)).toEqual(["unit 2"]);
  expect(limit).toEqual({ idle_in_transaction_session_timeout: "30s" });
});

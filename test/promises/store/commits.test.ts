import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { type Control, createCommitQueue } from "#store/database/commit-queue.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import { createTempFolder } from "../../support/temp.ts";

it("after one slow commit the next transactions work at most 20 ms each before the event loop has its turn", async () => {
  let now = 0;
  const store = openSqlite(join(createTempFolder("queue"), "bottega.db"), { monotonic: () => now });
  onTestFinished(() => store.close());
  const workMs: number[] = [];
  let began = 0;
  /** A disk on which every commit takes two seconds. */
  function control(statement: Control): void {
    if (statement === "begin immediate") began = now;
    if (statement !== "commit") return;
    workMs.push(now - began);
    now += 2_000;
  }
  const write = createCommitQueue((work) => store.db.connection().execute(work), control, {
    monotonic: () => now,
  });
  const unit = () =>
    write(async (tx) => {
      now += 3;
      await sql`select 1`.execute(tx);
    });
  await unit();
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 100 }, unit));
  done = true;
  expect(Math.max(...workMs)).toBeLessThanOrEqual(21);
  expect(turns).toBeGreaterThanOrEqual(workMs.length - 1);
});

it("while another process holds the file every unit waits its own 30 s, and reads on the same connection continue", async () => {
  let now = 0;
  const file = join(createTempFolder("queue"), "bottega.db");
  const store = openSqlite(file, { monotonic: () => now });
  onTestFinished(() => store.close());
  await sql`create table kept (id text)`.execute(store.db);
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  other.exec("begin immediate");
  const write = (id: string) =>
    store.write((tx) => sql`insert into kept values (${id})`.execute(tx));
  const early = Array.from({ length: 5 }, (_, i) => write(`early ${i}`));
  now = 29_999;
  const late = write("late");
  expect((await sql`select * from kept`.execute(store.db)).rows).toEqual([]);
  now = 30_000;
  for (const result of await Promise.allSettled(early))
    expect(result).toMatchObject({ status: "rejected", reason: { errcode: 5 } });
  other.exec("rollback");
  await late;
  expect((await sql`select * from kept`.execute(store.db)).rows).toEqual([{ id: "late" }]);
});

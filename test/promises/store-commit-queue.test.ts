import { join } from "node:path";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { type Control, createCommitQueue } from "#store/commit-queue.ts";
import { openSqlite } from "#store/sqlite.ts";
import { createTempFolder } from "../support/temp.ts";

it("after one slow commit the next transactions work at most 20 ms each before the event loop has its turn", async () => {
  let now = 0;
  const store = openSqlite(join(createTempFolder("queue"), "bottega.db"), { monotonic: () => now });
  onTestFinished(() => store.close());
  const workMs: number[] = [];
  let began = 0;
  /** A disk whose every commit takes two seconds. */
  function control(statement: Control): void {
    if (statement === "begin immediate") began = now;
    if (statement !== "commit") return;
    workMs.push(now - began);
    now += 2_000;
  }
  const write = createCommitQueue(store.db, control, { monotonic: () => now });
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

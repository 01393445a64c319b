import { type KyselyPlugin, sql } from "kysely";
import { expect, it } from "vitest";
import { doChores } from "#engine/recover/chores.ts";
import type { Tx } from "#store/database/store.ts";
import type { Commit } from "#store/runs/unit.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import { fillStore, fullRows } from "../../support/databases/full-store.ts";
import { at } from "../../support/databases/store-rows.ts";
import { createInstance } from "../../support/server/instance.ts";

const dayMs = 24 * 60 * 60_000;
const sliceRows = 500;
const pruned = [
  "change",
  "conversation",
  "invite",
  "message",
  "run_event",
  "session",
  "webhook_in",
] as const;

/** The number of rows of everything that chores delete. */
async function countRows(db: Tx): Promise<number> {
  let rows = 0;
  for (const table of [...pruned, "webhook_out"] as const) {
    const { count } = await db
      .selectFrom(table)
      .select((e) => e.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    rows += count;
  }
  return rows;
}

it("chores delete thousands of old rows in units of a few hundred, and leave none", async () => {
  const clock = { now: () => at + 40 * dayMs, monotonic: () => performance.now() };
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    clock,
    start: false,
  });
  const { user } = await instance.createPerson("ada@example.org");
  await fillStore(instance.store);
  const time = new Date(at).toISOString();
  const session = { userId: user.id, expiresAt: time, createdAt: time, updatedAt: time };
  await instance.store.write(async (tx) => {
    await tx.deleteFrom("session").execute();
    for (let i = 0; i < 2 * sliceRows; i++)
      await tx
        .insertInto("session")
        .values({ ...session, id: `${i}`, token: `${i}` })
        .execute();
    await tx.updateTable("conversation").set({ trashed_at: at }).execute();
    await tx.updateTable("message").set({ conversation_id: "conversation-1" }).execute();
    await tx.updateTable("run").set({ pruned_at: null }).execute();
    await tx
      .updateTable("message")
      .set({ parts: JSON.stringify("x".repeat(5_000)) })
      .execute();
  });
  const pages = async () =>
    (await sql<{ page_count: number }>`pragma page_count`.execute(instance.store.db)).rows[0]!
      .page_count;
  const pagesBefore = await pages();
  expect(await countRows(instance.store.db)).toBeGreaterThan(30_000);

  const units: number[] = [];
  const commit: Commit = (work) =>
    instance.commit((unit) => {
      units.push(0);
      return work({ ...unit, tx: unit.tx.withPlugin(countChanges) });
    });
  const countChanges: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      units.push((units.pop() ?? 0) + Number(result.numAffectedRows ?? 0));
      return result;
    },
  };
  await doChores({ ...instance.engineDeps, commit });
  // The last messages of a slice of conversations are deleted with it.
  expect(Math.max(...units)).toBeLessThanOrEqual(2 * sliceRows);
  // Each message had a page of its own.
  expect(await pages()).toBeLessThan(pagesBefore - fullRows);
  // A notice for each file that left the trash.
  expect(await countRows(instance.store.db)).toBe(fullRows / 100);
});

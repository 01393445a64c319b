import { expect, it } from "vitest";
import { migrate } from "#store/database/migrate.ts";
import type { Store } from "#store/database/store.ts";
import { insertConnection } from "#store/models/connections.ts";
import { insertProject } from "#store/people/projects.ts";
import { listByIdempotencyScope } from "#store/runs/run-lists.ts";
import { insertRun, moveRun } from "#store/runs/runs.ts";
import { newUnit } from "#store/runs/unit.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { buildConnection, buildRun } from "../../support/databases/store-rows.ts";
import { openTestStore } from "../../support/databases/test-store.ts";

const scope = "p:u:word";
const since = 1_000;

forEachDatabase((_, create) => {
  async function openStore(): Promise<Store> {
    const store = openTestStore(await create());
    await migrate(store, 0);
    await store.write(async (tx) => {
      await insertProject(tx, { id: "p", name: "p", description: "", ownerId: "u", at: 0 });
      await insertConnection(tx, buildConnection({ id: "c" }));
    });
    return store;
  }
  const add = (store: Store, idempotencyKey: string, at: number, idempotencyScope = scope) => {
    const run = buildRun({
      projectId: "p",
      userId: "u",
      connectionId: "c",
      idempotencyScope,
      idempotencyKey,
      at,
    });
    return store.write((tx) => insertRun(newUnit(tx, at), run));
  };

  it("of a scope's runs, only those that can still be meant are read, and only their times", async () => {
    const store = await openStore();
    const end = async (key: string, begunAt: number, at: number) => {
      const { id: runId } = await add(store, key, begunAt);
      await store.write((tx) => moveRun(newUnit(tx, at), { runId, step: { type: "cancelled" } }));
    };
    await end("long over", 1, 2);
    await end("long over, and asked for", 1, 3);
    await end("just over", 1, since);
    await add(store, "goes on", 1);
    await add(store, "new", since);
    await add(store, "of another word", since, "p:u:other");
    const { id: runId } = await add(store, "unconfirmed", 1);
    await store.write((tx) =>
      moveRun(newUnit(tx, 2), {
        runId,
        step: [{ type: "claimed" }, { type: "lost" }],
      }),
    );
    const runs = await listByIdempotencyScope(store.read, {
      scope,
      since,
      keys: ["long over, and asked for"],
    });
    expect(runs.map(({ key }) => key)).toEqual([
      "long over, and asked for",
      "just over",
      "goes on",
      "new",
    ]);
    expect(runs[0]).toEqual({
      id: expect.any(String),
      key: "long over, and asked for",
      state: "cancelled",
      createdAt: 1,
      finishedAt: 3,
    });
  });
});

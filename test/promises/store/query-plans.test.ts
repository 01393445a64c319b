import { sql } from "kysely";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { finalStates, openStates } from "#domain/runs/run-machine.ts";
import { listStorageUse, updateStorageLimits } from "#store/content/storage-limits.ts";
import { migrate } from "#store/database/migrate.ts";
import type { Store, Tx } from "#store/database/store.ts";
import { putCircuit } from "#store/models/circuits.ts";
import { insertConnection, removeConnection } from "#store/models/connections.ts";
import { ensureInstance } from "#store/people/people.ts";
import { insertProject } from "#store/people/projects.ts";
import { claimRuns, connectionsWithWork, hasFreeSlot } from "#store/runs/claims.ts";
import { countWaitingRuns, listRuns, listWaitingRuns } from "#store/runs/run-lists.ts";
import { insertRun } from "#store/runs/runs.ts";
import { newUnit } from "#store/runs/unit.ts";
import { adoptRuns } from "#store/runs/workers.ts";
import { seedAssets } from "../../bench/seed-assets.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { plansOf } from "../../support/databases/query-plans.ts";
import { at, buildConnection, buildRun } from "../../support/databases/store-rows.ts";
import { openStore } from "../../support/databases/test-store.ts";

const maxRuns = 6_000;

/** Many runs of one project and connection, nearly all of them ended long ago. */
async function seed(store: Store): Promise<void> {
  await store.write(async (tx) => {
    await insertProject(tx, { id: "p", name: "p", description: "", ownerId: "u", at });
    await insertConnection(tx, buildConnection({ id: "c", places: { text: 1_000, media: 1_000 } }));
    await insertConnection(tx, buildConnection({ id: "free" }));
    await insertRun(newUnit(tx, at), buildRun({ projectId: "p", userId: "u", connectionId: "c" }));
    const { id: _, ...first } = await tx.selectFrom("run").selectAll().executeTakeFirstOrThrow();
    const rows = Array.from({ length: maxRuns }, (_, i) => {
      const state =
        i % 100 === 0
          ? openStates[(i / 100) % openStates.length]!
          : finalStates[i % finalStates.length]!;
      const ended = i % 100 !== 0;
      const owned = !ended && state !== "queued" && state !== "unconfirmed";
      return {
        ...first,
        id: uuid(),
        state,
        finished_at: ended ? at : null,
        worker_id: owned ? "gone" : null,
      };
    });
    while (rows.length > 0) await tx.insertInto("run").values(rows.splice(0, 500)).execute();
  });
  await seedAssets(store, { projectId: "p", userId: "u", count: maxRuns });
  // PostgreSQL analyzes by itself after a while; SQLite never does and has to plan without
  // statistics.
  if (store.engine === "postgres") await sql`vacuum analyze`.execute(store.db);
}

/** The query plans of `work` for one table. */
async function plansOfTable(
  store: Store,
  table: "run" | "asset",
  work: (db: Tx) => Promise<unknown>,
): Promise<string[]> {
  const all = await plansOf(store, (watched) => watched.write(work));
  const plans = all.flatMap(({ query, plan }) =>
    query.includes(` "${table}" `) && !query.startsWith("insert") ? [plan] : [],
  );
  expect(plans.length).toBeGreaterThan(0);
  return plans;
}

/** Every row of the table in sequence; on SQLite also in the order of its key. */
const readsAllRuns =
  /SCAN run(?! USING (COVERING )?INDEX run_(queued|active|decision|open|worker|connection_open))|Seq Scan on run|run_list|run_pkey on run(?![^\n]*\n\s+Index Cond)/;

forEachDatabase((engine, create) => {
  let store: Store;
  beforeAll(async () => {
    store = openStore(await create());
    await migrate(store, at);
    await seed(store);
  });
  afterAll(() => store.close());

  const claim = { connectionId: "c", workerId: "w", clientToken: uuid, most: 4 };
  const roads: [string, (db: Tx) => Promise<unknown>, RegExp][] = [
    ["looking for work", (db) => connectionsWithWork(db, at), /run_queued/],
    ["claiming", (db) => claimRuns(newUnit(db, at), claim), /run_active[\s\S]*run_queued/],
    [
      "finding a place for a new run",
      (db) =>
        hasFreeSlot(db, { connectionId: "free", task: "chat" }, () => ({ text: 1, media: 1 })),
      /run_queued[\s\S]*run_active/,
    ],
    [
      "taking over what a dead worker owned",
      (db) => adoptRuns(db, "w", 5),
      /run_worker|run_active|run_open/,
    ],
    ["removing a connection", (db) => removeConnection(db, "c"), /run_connection_open/],
    [
      "listing what needs a decision",
      (db) =>
        listWaitingRuns(db, { after: "", limit: 50, by: { isAdmin: true, projectIds: ["p"] } }),
      /run_decision/,
    ],
    [
      "counting what needs a decision",
      (db) => countWaitingRuns(db, { isAdmin: true, projectIds: ["p"] }),
      /run_decision/,
    ],
    [
      "listing what is open",
      (db) => listRuns(db, { projectId: "p", userId: "u", state: "open", limit: 50 }),
      /run_open/,
    ],
    [
      "listing what is unconfirmed",
      (db) => listRuns(db, { projectId: "p", userId: "u", state: "unconfirmed", limit: 50 }),
      /run_open/,
    ],
  ];
  it.each(roads)(
    `%s reads the few open runs and not the ${maxRuns} ended ones`,
    async (_title, work, index) => {
      const plans = await plansOfTable(store, "run", work);
      for (const plan of plans) expect(plan).not.toMatch(readsAllRuns);
      // PostgreSQL chooses among several suitable indexes.
      if (engine === "sqlite") expect(plans.join("\n")).toMatch(index);
    },
  );

  it("summing storage under a limit reads only an index", async () => {
    await store.write(async (tx) => {
      await ensureInstance(tx, "e", at);
      await updateStorageLimits(tx, { personBytes: 1, projectBytes: 1 });
    });
    const plans = await plansOfTable(store, "asset", (db) =>
      listStorageUse(db, { userId: "u", projectId: "p" }),
    );
    expect(plans).toHaveLength(2);
    if (engine === "sqlite") {
      expect(plans[0]).toMatch(/USING COVERING INDEX asset_person_bytes/);
      expect(plans[1]).toMatch(/USING COVERING INDEX asset_project_bytes/);
    }
  });

  it("claiming steps from model to model past the runs of a paused one", async () => {
    await store.write((tx) =>
      putCircuit(tx, "c", {
        modelId: "m",
        kind: "overload",
        failures: 1,
        inputs: [],
        openedAt: at,
        pausedUntil: at + 60_000,
        detail: null,
      }),
    );
    const plans = await plansOfTable(store, "run", (tx) => claimRuns(newUnit(tx, at), claim));
    for (const plan of plans) expect(plan).not.toMatch(readsAllRuns);
    if (engine === "sqlite")
      expect(plans.join("\n")).toMatch(
        /USING (COVERING )?INDEX run_queued_model \(connection_id=\? AND model_id>\?\)/,
      );
    else expect(plans.join("\n")).toMatch(/run_queued/);
  });
});

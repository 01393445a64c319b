import { expect, it, onTestFinished } from "vitest";
import type { Clock } from "#domain/runs/ids.ts";
import { openPostgres } from "#store/database/postgres.ts";
import { appendRunEvents, Fenced, getRun, moveRun } from "#store/runs/runs.ts";
import { insertWorker, listWorkers, removeWorker } from "#store/runs/workers.ts";
import {
  createPostgresDatabase,
  createTestDatabase,
  forEachDatabase,
  type TestDatabase,
} from "../../support/databases/databases.ts";
import { createInstance, createTestClock, until } from "../../support/server/instance.ts";
import { createStudio, type Studio, testAdapters } from "../../support/studio/studio.ts";
import { createTempFolder } from "../../support/temp.ts";

const dayMs = 24 * 60 * 60_000;

/**
 * A studio whose own worker observes on the test's clock, and a run that belongs to another worker.
 */
async function createScene(database: TestDatabase, clock: Clock = createTestClock()) {
  const studio = await createStudio(database, {
    endsWithTest: true,
    instance: { clock, outputRetryMs: [] },
  });
  const run = await studio.make("owned by another [sim:hold-queue]");
  await studio.inState(run.id, "submitted");
  return { studio, runId: run.id };
}

/** Assigns the run to a worker of another process, which isn't alive here. */
async function handToStranger(studio: Studio, runId: string, bootId = "another boot") {
  await studio.instance.commit(async ({ tx }) => {
    await insertWorker(tx, { id: "stranger", bootId, beat: 7, host: "elsewhere", startedAt: 0 });
    await tx.updateTable("run").set({ worker_id: "stranger" }).where("id", "=", runId).execute();
  });
}

const tick = (studio: Studio) => studio.instance.engine.ownership()!.tick();
const ownerOf = async (studio: Studio, runId: string) =>
  (await getRun(studio.instance.store.db, runId))?.workerId;

/** A lock held like a living process of another server does. */
async function holdLock(databaseUrl: string, bootId: string) {
  const other = openPostgres(databaseUrl, () => undefined);
  expect(await other.sessionLock.take(bootId)).toBe(true);
  let open = true;
  const close = async () => {
    if (open) await other.close();
    open = false;
  };
  onTestFinished(close);
  return { close };
}

async function postgres(): Promise<TestDatabase & { databaseUrl: string }> {
  const databaseUrl = await createPostgresDatabase();
  const dataFolder = createTempFolder("postgres");
  return { databaseUrl, dataFolder, env: { BOTTEGA_DATA: dataFolder, DATABASE_URL: databaseUrl } };
}

it("a worker that holds its lock is dead when its beat has not changed for 30 s on the observer's clock, and not before", async () => {
  const clock = createTestClock();
  const database = await postgres();
  const { studio, runId } = await createScene(database, clock);
  await holdLock(database.databaseUrl, "another boot");
  await handToStranger(studio, runId);
  await tick(studio);
  clock.advance(29_900);
  await tick(studio);
  expect(await ownerOf(studio, runId)).toBe("stranger");
  clock.advance(100);
  await tick(studio);
  await until(
    "the run has an owner that lives",
    async () => (await ownerOf(studio, runId)) !== "stranger",
  );
  expect((await listWorkers(studio.instance.store.db)).map((worker) => worker.id)).not.toContain(
    "stranger",
  );
});

it("a worker with a beat is alive, however long it takes", async () => {
  const clock = createTestClock();
  const database = await postgres();
  const { studio, runId } = await createScene(database, clock);
  await holdLock(database.databaseUrl, "another boot");
  await handToStranger(studio, runId);
  for (let beat = 8; beat < 20; beat++) {
    await studio.instance.store.db
      .updateTable("worker")
      .set({ beat })
      .where("id", "=", "stranger")
      .execute();
    clock.advance(25_000);
    await tick(studio);
  }
  expect(await ownerOf(studio, runId)).toBe("stranger");
});

it("a worker whose session lock is free is dead after 10 s, and one that takes its lock again in time lives", async () => {
  const clock = createTestClock();
  const database = await postgres();
  const { studio, runId } = await createScene(database, clock);
  const lock = await holdLock(database.databaseUrl, "another boot");
  await handToStranger(studio, runId);
  await tick(studio);
  await lock.close();
  await until("the database has freed the lock", () =>
    studio.instance.store.sessionLock.isFree("another boot"),
  );
  clock.advance(1_000);
  await tick(studio);
  clock.advance(9_000);
  const again = await holdLock(database.databaseUrl, "another boot");
  await tick(studio);
  clock.advance(9_000);
  await tick(studio);
  expect(await ownerOf(studio, runId)).toBe("stranger");

  await again.close();
  await until("the lock is free for good", () =>
    studio.instance.store.sessionLock.isFree("another boot"),
  );
  await studio.instance.store.db
    .updateTable("worker")
    .set({ beat: 8 })
    .where("id", "=", "stranger")
    .execute();
  await tick(studio);
  clock.advance(9_900);
  await tick(studio);
  expect(await ownerOf(studio, runId)).toBe("stranger");
  clock.advance(100);
  await tick(studio);
  expect(await ownerOf(studio, runId)).not.toBe("stranger");
});

it("a worker declared dead while alive releases its runs and starts again with none", async () => {
  const clock = createTestClock();
  const { studio, runId } = await createScene(await postgres(), clock);
  const own = (await ownerOf(studio, runId))!;
  // Another server takes the run over while this one is frozen.
  await studio.instance.commit(async ({ tx }) => {
    await removeWorker(tx, own);
    await insertWorker(tx, {
      id: "stranger",
      bootId: "b",
      beat: 0,
      host: "elsewhere",
      startedAt: 0,
    });
    await tx
      .updateTable("run")
      .set((e) => ({ worker_id: "stranger", fence: e("fence", "+", 1) }))
      .where("id", "=", runId)
      .execute();
  });
  const before = await getRun(studio.instance.store.db, runId);
  await tick(studio);
  studio.fal.release("owned by another");
  await until("it holds nothing any more", async () => studio.instance.engine.running() === 0);
  expect(await getRun(studio.instance.store.db, runId)).toEqual(before);
  expect((await listWorkers(studio.instance.store.db)).map((worker) => worker.id)).toContain(own);
});

it("on SQLite every worker of an earlier boot is dead at the start, whatever its beat says", async () => {
  const database = await createTestDatabase("sqlite");
  const first = await createStudio(database);
  const run = await first.make("left behind [sim:hold-queue]");
  await first.inState(run.id, "submitted");
  await handToStranger(first, run.id);
  await first.close();
  const second = await createInstance(database, { endsWithTest: true, adapters: testAdapters });
  const taken = (await getRun(second.store.db, run.id))!;
  expect(taken.workerId).not.toBe("stranger");
  expect(taken.fence).toBe(2);
  expect((await listWorkers(second.store.db)).map((worker) => worker.id)).not.toContain("stranger");
});

forEachDatabase((_, create) => {
  it("a late write of an owner whose run was taken over is refused and changes nothing", async () => {
    const { studio, runId } = await createScene(await create());
    const { store } = studio.instance;
    const run = (await getRun(store.db, runId))!;
    await store.db
      .updateTable("run")
      .set((e) => ({ fence: e("fence", "+", 1) }))
      .where("id", "=", runId)
      .execute();
    const before = await getRun(store.db, runId);
    const late = studio.instance.commit((unit) =>
      moveRun(unit, {
        runId,
        fence: run.fence,
        step: { type: "failed" },
        events: [],
      }),
    );
    await expect(late).rejects.toThrow(Fenced);
    const words = studio.instance.commit((unit) =>
      appendRunEvents(unit, run, [{ type: "log", payload: { lines: [], own: true } }], {}),
    );
    await expect(words).rejects.toThrow(Fenced);
    expect(await getRun(store.db, runId)).toEqual(before);
    // Writes by the old owner's pump are refused in the same way.
    studio.fal.release("owned by another");
    await until("the old owner has let go", async () => studio.instance.engine.running() === 0);
    expect(await getRun(store.db, runId)).toEqual(before);
  });

  it("a wall clock that jumps a day forward or back changes no owner and no money", async () => {
    const still = createTestClock();
    let jumpMs = 0;
    const clock: Clock = { now: () => still.now() + jumpMs, monotonic: still.monotonic };
    const { studio, runId } = await createScene(await create(), clock);
    const { fence, workerId } = (await getRun(studio.instance.store.db, runId))!;
    for (const jump of [dayMs, -dayMs]) {
      jumpMs = jump;
      await tick(studio);
      still.advance(5_000);
      await tick(studio);
      expect(await getRun(studio.instance.store.db, runId)).toMatchObject({
        fence,
        workerId,
        state: "submitted",
      });
    }
    studio.fal.release("owned by another");
    expect(await studio.ended(runId)).toMatchObject({ state: "succeeded", costMicros: 25_000 });
    expect(await studio.spentOf(runId)).toHaveLength(1);
  });
});

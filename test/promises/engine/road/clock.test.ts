import { expect, it } from "vitest";
import { periodAt } from "#domain/money/periods.ts";
import type { Clock } from "#domain/runs/ids.ts";
import { graceMs } from "#engine/ingest/store-bytes.ts";
import { doChores } from "#engine/recover/chores.ts";
import { watchForJumps } from "#engine/recover/collect.ts";
import { forEachDatabase, type TestDatabase } from "../../../support/databases/databases.ts";
import { expectRightBooks } from "../../../support/databases/right-books.ts";
import { createTestClock, until } from "../../../support/server/instance.ts";
import { createStudio, textOfMessage } from "../../../support/studio/studio.ts";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const timeZone = "Europe/Rome";

/** A settable wall clock over a monotonic one. */
function createWall(startsAt: string) {
  const began = performance.now();
  let wallMs = Date.parse(startsAt);
  const monotonic = () => performance.now() - began;
  const clock: Clock = { now: () => Math.round(wallMs + monotonic()), monotonic };
  return { clock, set: (byMs: number) => (wallMs += byMs) };
}

/** A studio with blocking daily and monthly budgets, and an active stream, job and picture. */
async function createScene(database: TestDatabase, startsAt: string) {
  const { clock, set } = createWall(startsAt);
  const studio = await createStudio(database, {
    endsWithTest: true,
    instance: { clock, outputRetryMs: [20] },
  });
  const { person, openai, models, instance } = studio;
  const price = (unit: string, micros: string) => ({ unit, micros, source: "test", at: 0 });
  const prices = {
    "sim-chat": [price("input token", "3"), price("output token", "15")],
    "sim-image": [price("image", "40000")],
  };
  for (const [id, of] of Object.entries(prices))
    await instance.store.db
      .updateTable("model")
      .set({ price: JSON.stringify(of) })
      .where("model_id", "=", id)
      .execute();
  for (const period of ["day", "month"]) {
    const setting = { period, timeZone, onLimit: "block", limitMicros: 2_000_000 };
    const set = await person.call("setBudgets", {
      body: { scope: "user", scopeIds: [person.user.id], ...setting },
    });
    expect(set.status).toBe(200);
  }
  openai.script({ text: "one two three", gate: { name: "stream", at: 1 } });
  const stream = await studio.ask("some words");
  await openai.reached("stream");
  openai.script({ gate: { name: "picture", at: "head" } });
  const picture = await studio.make("a picture", { model: models.openaiImage });
  await openai.reached("picture");
  const job = await studio.make("under way [sim:hold]");
  await studio.inState(job.id, "running");
  return { studio, clock, set, stream, ids: [stream.run.id, picture.id, job.id] };
}

const moments: [title: string, startsAt: string, jumpMs: number][] = [
  ["a day ahead", "2026-06-10T12:00:00Z", dayMs],
  ["a day back", "2026-06-10T12:00:00Z", -dayMs],
  ["over the hour that summer time leaves out", "2026-03-29T00:30:00Z", hourMs],
  ["over the hour that comes twice in autumn", "2026-10-25T00:30:00Z", hourMs],
  ["back from a new month into the old one", "2026-10-31T23:30:00Z", -hourMs],
  ["into a new month and year", "2026-12-31T22:30:00Z", hourMs],
];

forEachDatabase((_, create) => {
  it.each(moments)(
    "a clock that goes %s during work changes no owner, loses nothing, and books each run on its admission day",
    async (_title, startsAt, jumpMs) => {
      const { studio, clock, set, stream, ids } = await createScene(await create(), startsAt);
      const { store, engine } = studio.instance;
      const admittedAt = clock.now();
      const ownersBefore = await Promise.all(
        ids.map(async (id) => (await studio.runOf(id)).workerId),
      );
      set(jumpMs);
      await engine.ownership()!.tick();
      const owners = await Promise.all(ids.map(studio.runOf));
      expect(owners.map(({ workerId }) => workerId)).toEqual(ownersBefore);
      studio.openai.open("stream");
      studio.openai.open("picture");
      studio.fal.release("under way");
      const ended = await Promise.all(ids.map(studio.ended));
      for (const run of ended)
        expect(run).toMatchObject({ state: "succeeded", attempts: 1, fence: 1, heldMicros: 0 });
      expect(textOfMessage(await studio.messageOf(stream.answer.id))).toBe("one two three");
      for (const id of ids)
        expect(
          (await studio.ledgerOf(id)).filter((entry) => entry.settlement !== null),
        ).toHaveLength(1);
      const spentMicros = ended.reduce((sum, run) => sum + (run.costMicros ?? 0), 0);
      for (const period of ["day", "month"] as const) {
        const { startMs } = periodAt(period, timeZone, admittedAt);
        const balance = await store.db
          .selectFrom("balance")
          .selectAll()
          .where("period_start", "=", startMs)
          .execute();
        expect(
          balance.map((row) => [Number(row.spent_micros), Number(row.held_micros)]),
        ).toContainEqual([spentMicros, 0]);
      }
      await expectRightBooks(store.db);
      expect(studio.openai.posts).toHaveLength(2);
      expect(studio.fal.ledger.posts).toHaveLength(1);
      // A run requested at the new time is reserved, claimed and booked at the new time.
      const next = await studio.make("and then");
      expect(await studio.ended(next.id)).toMatchObject({ state: "succeeded" });
      await expectRightBooks(store.db);
      expect((await studio.person.call("getMe")).status, "nobody is signed out").toBe(200);
    },
  );

  it("a clock set back a day keeps no run waiting: neither for its time nor for its service", async () => {
    const { clock, set } = createWall("2026-06-10T12:00:00Z");
    const studio = await createStudio(await create(), { endsWithTest: true, instance: { clock } });
    studio.openai.script({
      fault: { kind: "status", status: 429, headers: { "retry-after": "3000" } },
    });
    const { run } = await studio.ask("later");
    await until("it waits", async () => (await studio.runOf(run.id)).notBefore);
    await studio.leaveAlone(studio.models.fal.connectionId, {
      paused_until: clock.now() + 10 * 60_000,
    });
    const paused = await studio.make("paused");
    set(-dayMs);
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", attempts: 2 });
    expect(await studio.ended(paused.id)).toMatchObject({ state: "succeeded", attempts: 1 });
  });

  it("a clock a day ahead doesn't let the collector take a running run's new files", async () => {
    const { clock, set } = createWall("2026-06-10T12:00:00Z");
    const studio = await createStudio(await create(), { endsWithTest: true, instance: { clock } });
    const { engineDeps, store } = studio.instance;
    const hasJumped = watchForJumps(clock);
    const { sha256, bytes } = await engineDeps.blobs.put(
      (async function* () {
        yield Buffer.from("on its way");
      })(),
    );
    const row = {
      sha256,
      bytes,
      mime: "text/plain",
      state: "stored" as const,
      created_at: clock.now(),
    };
    await store.write((tx) => tx.insertInto("blob").values(row).execute());
    const chores = () => doChores(engineDeps, "", () => undefined, hasJumped);
    await chores();
    set(dayMs);
    await chores();
    expect(await engineDeps.blobs.stat(sha256)).toEqual({ bytes });
    await chores();
    expect(await engineDeps.blobs.stat(sha256)).toEqual({ bytes });
  });
});

it("a jump ahead stops the collector for its grace period, and no longer", () => {
  const still = createTestClock();
  let wallMs = 0;
  const hasJumped = watchForJumps({ now: () => still.now() + wallMs, monotonic: still.monotonic });
  expect(hasJumped()).toBe(false);
  wallMs = -dayMs;
  expect(hasJumped()).toBe(false);
  wallMs = 0;
  expect(hasJumped()).toBe(true);
  still.advance(graceMs - 1);
  expect(hasJumped()).toBe(true);
  still.advance(1);
  expect(hasJumped()).toBe(false);
});

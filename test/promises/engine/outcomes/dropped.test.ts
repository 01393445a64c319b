import { expect, it } from "vitest";
import { onSqlite } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio } from "../../../support/studio/studio.ts";

onSqlite((create) => {
  it("a run dropped by an error is resumed automatically: none stays unowned", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const run = await studio.make("dropped by a disk that failed");
    await studio.inState(run.id, "submitted", "running", "storing", "succeeded");
    // Like a run dropped by its worker halfway: assigned to it, under a fence that nobody holds.
    const settled = await studio.ended(run.id);
    expect(settled.state).toBe("succeeded");
    const workers = await studio.instance.store.db.selectFrom("worker").select("id").execute();
    await studio.instance.store.db
      .updateTable("run")
      .set({
        state: "submitted",
        finished_at: null,
        worker_id: workers[0]!.id,
        fence: settled.fence + 1,
      })
      .where("id", "=", run.id)
      .execute();
    await studio.instance.store.db
      .deleteFrom("ledger_entry")
      .where("run_id", "=", run.id)
      .execute();
    const again = await until("the run is taken up and ends", async () => {
      const now = await studio.runOf(run.id);
      return now.finishedAt !== null && now;
    });
    expect(again.state).toBe("succeeded");
    expect(studio.fal.ledger.postsOf("dropped by a disk that failed")).toBe(1);
  });

  it("a run whose claim is reported late doesn't count as dropped", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { engine } = studio.instance;
    const { commit } = engine.deps;
    let looks = 0;
    const lookedTwice = Promise.withResolvers<void>();
    engine.deps.commit = async (unit) => {
      const value = await commit(unit);
      if (Array.isArray(value) && value[0]?.clientToken) await lookedTwice.promise;
      return value;
    };
    const { read } = engine.deps.store;
    const selectFrom = read.selectFrom.bind(read);
    Object.assign(read, {
      selectFrom: (...from: Parameters<typeof selectFrom>) => {
        // Each search for work queries once for queued runs and then for its own.
        if (new Error().stack?.includes("listOwnedRuns") && ++looks === 3) lookedTwice.resolve();
        return selectFrom(...from);
      },
    });
    const run = await studio.make("a late notice");
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", fence: 1 });
    expect(studio.fal.ledger.postsOf("a late notice")).toBe(1);
  });

  it("a cancel during the download of files doesn't keep a run from ending after a restart", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const run = await studio.make("cancelled while storing");
    const settled = await studio.ended(run.id);
    const db = studio.instance.store.db;
    await db
      .updateTable("run")
      .set({
        state: "storing",
        finished_at: null,
        worker_id: (await db.selectFrom("worker").select("id").executeTakeFirstOrThrow()).id,
        cancel_requested_at: 1,
        fence: settled.fence + 1,
      })
      .where("id", "=", run.id)
      .execute();
    await db.deleteFrom("ledger_entry").where("run_id", "=", run.id).execute();
    const again = await until("the run ends", async () => {
      const now = await studio.runOf(run.id);
      return now.finishedAt !== null && now;
    });
    expect(again.state).toBe("succeeded");
  });
});

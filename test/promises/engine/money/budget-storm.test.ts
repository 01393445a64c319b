import { expect, it } from "vitest";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { reviewWaiting } from "#engine/admit/approve.ts";
import { refuseRun } from "#engine/follow/cancel.ts";
import { updateConnection } from "#store/models/connections.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { expectRightBooks } from "../../../support/databases/right-books.ts";
import { createInstance, until } from "../../../support/server/instance.ts";
import { createStudio, testAdapters } from "../../../support/studio/studio.ts";

forEachDatabase((database, create) => {
  it("budgets that change during admissions, approvals, refusals and settlements on two servers leave ledgers that add up", async () => {
    const shared = await create();
    const studio = await createStudio(shared, { endsWithTest: true });
    const { instance, person, models } = studio;
    const other =
      database === "postgres"
        ? await createInstance(shared, {
            adapters: testAdapters,
            secrets: instance.engineDeps.secrets,
          })
        : instance;
    const engines = [instance.engine, other.engine];
    const { db } = instance.store;
    await instance.commit(({ tx }) =>
      updateConnection(tx, models.fal.connectionId, { places: { text: 50, media: 50 } }),
    );
    const odd: unknown[] = [];
    const known = new Set(["budget_exceeded", "conflict", "not_found"]);
    const quietly = (work: Promise<unknown>) =>
      work.catch((error) => known.has(error.code) || odd.push(error));
    const setBudget = async (
      limitMicros: number | null,
      onLimit: string,
      period: string,
      scope: "instance" | "user",
    ) => {
      const body = {
        scope,
        scopeIds: [scope === "user" ? person.user.id : null],
        period,
        timeZone: "Europe/Rome",
        onLimit,
        limitMicros,
      };
      const answer = await person.call("setBudgets", { body });
      if (answer.status !== 200) odd.push(answer.body);
    };
    const kinds = ["block", "ask", "warn"];
    const admit = async (i: number) => {
      const engine = engines[i % 2]!;
      const ask = {
        projectId: person.projectId,
        models: [models.fal],
        task: "image" as const,
        variants: 1 + (i % 3),
      };
      const { runs } = await admitBatch(
        engine.deps,
        { userId: person.user.id },
        { ...ask, input: { prompt: `storm ${i}`, image_size: "square" } },
      );
      if (i % 4 === 0)
        for (const run of runs) await quietly(engines[(i + 1) % 2]!.cancelRun(run.id));
      if (i % 4 === 1) for (const run of runs) await quietly(engine.approveRun(run.id, "admin"));
      if (i % 4 === 2)
        for (const run of runs) await quietly(refuseRun(engine.deps, run.id, "admin"));
    };
    for (let round = 0; round < 2; round++)
      await Promise.all([
        ...Array.from({ length: 20 }, (_, i) => quietly(admit(round * 20 + i))),
        ...Array.from({ length: 5 }, (_, i) =>
          setBudget(
            i === 4 ? null : 25_000 * (5 + round * i),
            kinds[(round + i) % 3]!,
            i % 2 ? "day" : "total",
            i % 2 ? "user" : "instance",
          ),
        ),
        quietly(reviewWaiting(engines[1]!.deps)),
        quietly(reviewWaiting(engines[0]!.deps)),
      ]);
    await setBudget(null, "block", "day", "user");
    await setBudget(1e12, "block", "total", "instance");
    await until(
      "all have ended",
      async () => {
        const open = await db
          .selectFrom("run")
          .select(["id", "state", "waiting_for"])
          .where("finished_at", "is", null)
          .execute();
        return open.length === 0;
      },
      60_000,
    );
    expect(odd).toEqual([]);
    await expectRightBooks(db);
    if (database === "postgres") await other.close();
  });
});

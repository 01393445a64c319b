import { expect, it } from "vitest";
import { updateConnection } from "#store/models/connections.ts";
import { updateUser } from "#store/people/people.ts";
import { claimRuns } from "#store/runs/claims.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { createStudio } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  it("runs claimed together alternate between people, in request order, up to the connection's places", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { connectionId } = studio.models.fal;
    const limit = (concurrency: number) =>
      studio.instance.commit(({ tx }) =>
        updateConnection(tx, connectionId, { places: { text: concurrency, media: concurrency } }),
      );
    await limit(0);
    const eve = await studio.instance.createPerson("eve@example.org");
    const ada: string[] = [];
    for (let i = 0; i < 6; i++) ada.push((await studio.make(`ada ${i}`)).id);
    const others = [
      (await studio.make("eve 0", { who: eve })).id,
      (await studio.make("eve 1", { who: eve })).id,
    ];
    // The studio's own worker is stopped and claims nothing in between.
    await studio.instance.engine.stop();
    await limit(7);
    const { deps } = studio.instance;
    const claim = (most: number) =>
      studio.instance.commit((unit) =>
        claimRuns(unit, {
          connectionId,
          workerId: "worker-1",
          clientToken: deps.ids,
          most,
        }),
      );
    const first = await claim(5);
    expect(first.map((run) => run.id)).toEqual([ada[0], others[0], ada[1], others[1], ada[2]]);
    expect(
      first.every(
        (run) => run.state === "submitting" && run.workerId === "worker-1" && run.fence === 1,
      ),
    ).toBe(true);
    expect((await studio.attempts(ada[1]!)).length).toBe(1);
    expect((await claim(5)).map((run) => run.id)).toEqual([ada[3], ada[4]]);
    expect(await claim(5)).toEqual([]);
  });

  it("a suspended person's requests wait, and continue when access is restored", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { connectionId } = studio.models.fal;
    const limit = (concurrency: number) =>
      studio.instance.commit(({ tx }) =>
        updateConnection(tx, connectionId, { places: { text: concurrency, media: concurrency } }),
      );
    const setStatus = (status: "active" | "suspended") =>
      studio.instance.commit(({ tx }) => updateUser(tx, eve.user.id, { status }));
    await limit(0);
    const eve = await studio.instance.createPerson("eve@example.org");
    const waiting = await studio.make("eve waits", { who: eve });
    const next = await studio.make("ada goes on");
    await setStatus("suspended");
    await limit(1);
    await studio.ended(next.id);
    expect(await studio.runOf(waiting.id)).toMatchObject({ state: "queued", attempts: 0 });
    expect(studio.fal.ledger.postsOf("eve waits")).toBe(0);
    await setStatus("active");
    expect(await studio.ended(waiting.id)).toMatchObject({ state: "succeeded" });
  });
});

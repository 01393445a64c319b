import { expect, it } from "vitest";
import { putCircuit } from "#store/models/circuits.ts";
import { updateConnection } from "#store/models/connections.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { createStudio } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  it("a run that gets a place is claimed at admission: one unit writes it, its events and its attempt", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { db } = studio.instance.store;
    let units = 0;
    const { commit } = studio.instance.engineDeps;
    studio.instance.engineDeps.commit = (work) => {
      units++;
      return commit(work);
    };
    studio.openai.script({ gate: { name: "first", at: "head" } });
    const { run } = await studio.ask("hello");
    expect(run).toMatchObject({ state: "submitting", lastSeq: 2 });
    await studio.openai.reached("first");
    expect(units).toBe(1);
    expect(await studio.runOf(run.id)).toMatchObject({ attempts: 1, fence: 1 });
    expect(await studio.attempts(run.id)).toMatchObject([{ number: 1, state: "committed" }]);
    const events = await db
      .selectFrom("run_event")
      .select(["seq", "type", "at"])
      .where("run_id", "=", run.id)
      .orderBy("seq")
      .execute();
    expect(events.map(({ seq, type }) => [Number(seq), type])).toEqual([
      [1, "run-queued"],
      [2, "run-started"],
    ]);
    studio.openai.open("first");
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", attempts: 1 });
    expect(studio.openai.posts).toHaveLength(1);
  });

  it("a run queues while no place is free, while another waits before it, and while its service fails", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { connectionId, modelId } = studio.models.openai;
    const { commit, store } = studio.instance;
    const places = (text: number) =>
      commit(({ tx }) => updateConnection(tx, connectionId, { places: { text, media: 1 } }));
    await places(1);
    studio.openai.script({ gate: { name: "the place", at: "head" } });
    const { run: first } = await studio.ask("takes the place");
    await studio.openai.reached("the place");
    const { run: second } = await studio.ask("finds none");
    expect(second.state).toBe("queued");
    // It can't be claimed until a distant time, but with free places it is still the next in order.
    const setTime = (notBefore: number | null) =>
      store.db
        .updateTable("run")
        .set({ not_before: notBefore })
        .where("id", "=", second.id)
        .execute();
    await setTime(Date.now() + 60_000);
    await places(9);
    const { run: third } = await studio.ask("comes after it");
    expect(third.state).toBe("queued");
    expect(await studio.ended(third.id)).toMatchObject({ state: "succeeded" });
    await setTime(null);
    studio.openai.open("the place");
    for (const { id } of [first, second])
      expect(await studio.ended(id)).toMatchObject({ state: "succeeded" });
    await commit(({ tx }) =>
      putCircuit(tx, connectionId, {
        modelId,
        kind: "overload",
        failures: 1,
        inputs: ["one"],
        openedAt: null,
        pausedUntil: null,
        detail: "",
      }),
    );
    const { run: fourth } = await studio.ask("looks at the circuit");
    expect(fourth.state).toBe("queued");
    expect(await studio.ended(fourth.id)).toMatchObject({ state: "succeeded" });
  });
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { updateConnection } from "#store/models/connections.ts";
import { claimRuns } from "#store/runs/claims.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { pace: { by: "time", stepMs: 5 } } });
  });
  afterAll(() => studio.close());

  const limit = async (concurrency: number): Promise<void> => {
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, studio.models.fal.connectionId, {
        places: { text: concurrency, media: concurrency },
      }),
    );
  };
  const underWay = () =>
    studio.instance.store.db
      .selectFrom("run")
      .select((e) => e.fn.countAll<number>().as("n"))
      .where("connection_id", "=", studio.models.fal.connectionId)
      .where("state", "in", ["submitting", "submitted", "running"])
      .executeTakeFirstOrThrow()
      .then((row) => Number(row.n));

  it("a connection never has more runs under way than its limit, however many wait", async () => {
    await limit(3);
    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, i) => studio.make(`limited ${i} [sim:hold]`)),
    );
    await until("three are at the provider", async () => studio.fal.ledger.posts.length === 3);
    let most = 0;
    await until("all are made", async () => {
      most = Math.max(most, await underWay());
      studio.fal.release("limited");
      return (await Promise.all(runs.map((run) => studio.runOf(run.id)))).every(
        (run) => run.state === "succeeded",
      );
    });
    expect(most).toBe(3);
    expect(
      studio.fal.ledger.posts.filter((post) => post.prompt.startsWith("limited")),
    ).toHaveLength(12);
  });

  it("with a limit of 2 and one person with 100 runs in the queue, another person's first run is among the next 2 claims", async () => {
    await limit(2);
    const other = await studio.instance.createPerson("eve@example.org");
    const many = Array.from({ length: 100 }, (_, i) => studio.make(`crowd ${i} [sim:hold]`));
    await Promise.all(many);
    await until(
      "two of the crowd are at the provider",
      async () =>
        studio.fal.ledger.posts.filter((post) => post.prompt.startsWith("crowd")).length === 2,
    );
    const first = await studio.make("alone", { who: other });
    const before = studio.fal.ledger.posts.length;
    studio.fal.release("crowd");
    await studio.ended(first.id);
    const since = studio.fal.ledger.posts.slice(before).map((post) => post.prompt);
    expect(since.slice(0, 2)).toContain("alone");
    const { connectionId } = studio.models.fal;
    await studio.instance.store.db
      .updateTable("run")
      .set({ state: "cancelled", finished_at: 1 })
      .where("connection_id", "=", connectionId)
      .where("state", "=", "queued")
      .execute();
    await until("the crowd has left", async () => {
      studio.fal.release("crowd");
      return (await underWay()) === 0;
    });
  });

  it("pictures that take every place of media hold up no chat on the same connection", async () => {
    const { openai, models } = studio;
    await studio.instance.commit(({ tx }) =>
      updateConnection(tx, models.openai.connectionId, { places: { text: 1, media: 1 } }),
    );
    openai.script({ gate: { name: "slow picture", at: "head" } });
    const picture = await studio.make("slow", { model: models.openaiImage });
    await openai.reached("slow picture");
    const waiting = await studio.make("next", { model: models.openaiImage });
    const { run } = await studio.ask("quick");
    expect((await studio.ended(run.id)).state).toBe("succeeded");
    expect((await studio.runOf(waiting.id)).state).toBe("queued");
    openai.open("slow picture");
    await studio.ended(picture.id);
    await studio.ended(waiting.id);
  });

  it("with one place, a program and the person whose key it has take turns", async () => {
    await limit(1);
    const { id } = await studio.instance.createKey(studio.person);
    const held = await studio.make("in front [sim:hold]");
    await studio.inState(held.id, "running", "submitted");
    const ofProgram = (prompt: string) =>
      admitBatch(
        studio.instance.engineDeps,
        { userId: studio.person.user.id, key: { id } } as never,
        {
          projectId: studio.person.projectId,
          models: [studio.models.fal],
          task: "image",
          input: { prompt },
          variants: 1,
        },
      );
    for (const prompt of ["program 1", "program 2", "program 3"]) await ofProgram(prompt);
    const mine = await studio.make("person");
    const before = studio.fal.ledger.posts.length;
    studio.fal.release("in front");
    await studio.ended(mine.id);
    const order = studio.fal.ledger.posts.slice(before).map(({ prompt }) => prompt);
    expect(order.slice(0, 2)).toContain("person");
    await until(
      "the program has its rest",
      async () => (await underWay()) === 0 && studio.fal.ledger.postsOf("program 3") === 1,
    );
  });

  it("two workers claiming at the same time never get the same run or exceed the limit together", async () => {
    await limit(0);
    await Promise.all(Array.from({ length: 6 }, (_, i) => studio.make(`claimed ${i} [sim:hold]`)));
    await limit(4);
    const { deps } = studio.instance;
    const claim = (workerId: string) =>
      studio.instance.commit((unit) =>
        claimRuns(unit, {
          connectionId: studio.models.fal.connectionId,
          workerId,
          clientToken: deps.ids,
          most: 1,
        }),
      );
    const claimed = (
      await Promise.all(Array.from({ length: 12 }, (_, i) => claim(`worker-${i % 2}`)))
    )
      .flat()
      .map((run) => run.id);
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claimed.length).toBeLessThanOrEqual(4);
    expect(await underWay()).toBeLessThanOrEqual(4);
  });
});

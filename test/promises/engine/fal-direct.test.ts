import { expect, it } from "vitest";
import { forEachDatabase } from "../../support/databases.ts";
import { createStudio } from "../../support/studio.ts";

forEachDatabase((_, create) => {
  it("a fal connection that runs directly sends one POST to the run address and keeps its answer with files, facts and cost", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const queued = await studio.ended((await studio.make("through the queue")).id);
    await runDirectly(studio);
    const direct = await studio.ended((await studio.make("at once")).id);
    expect(studio.fal.ledger.posts.map(({ door, prompt }) => [door, prompt])).toEqual([
      ["queue", "through the queue"],
      ["run", "at once"],
    ]);
    expect(direct).toMatchObject({ state: "succeeded", costMicros: queued.costMicros, usage: queued.usage });
    expect(direct.costMicros).toBeGreaterThan(0);
    expect(Object.keys(direct.result ?? {})).toEqual(Object.keys(queued.result ?? {}));
    const [[asset], [other]] = [await studio.assetsOf(direct.id), await studio.assetsOf(queued.id)];
    expect(asset).toMatchObject({ mime: other!.mime, width: 64, height: 64 });
    expect((await studio.bytesOf(asset!.sha256)).length).toBe(asset!.bytes);
    expect((await studio.attempts(direct.id)).map(({ providerRequestId }) => providerRequestId)).toEqual([null]);
  });

  it("a direct answer that is lost on the way leaves the run unconfirmed, and is not asked for again", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    await runDirectly(studio);
    const lost = await studio.ended((await studio.make("[sim:lost-reply]")).id);
    expect(lost).toMatchObject({ state: "unknown", costMicros: null });
    expect(studio.fal.ledger.postsOf("[sim:lost-reply]")).toBe(1);
  });
});

async function runDirectly(studio: Awaited<ReturnType<typeof createStudio>>): Promise<void> {
  await studio.instance.engine.changeConnection(studio.models.fal.connectionId, { values: { runs: "direct" } });
}

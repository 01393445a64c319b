import { afterAll, beforeAll, expect, it } from "vitest";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

onSqlite((create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { pace: { by: "time", stepMs: 10 } } });
  });
  afterAll(() => studio.close());

  it.each(["queue", "direct"] as const)(
    "a whole %s answer without a picture fails with the provider's words, and is charged as counted",
    async (runs) => {
      await studio.instance.engine.changeConnection(studio.models.fal.connectionId, {
        values: { runs },
      });
      const run = await studio.make(`nothing in it, ${runs} [sim:output-none]`);
      const error = {
        code: "provider_failed",
        message: "The provider returned no output.",
        providerMessage: expect.stringContaining('"images":[]'),
      };
      expect(await studio.ended(run.id)).toMatchObject({
        state: "failed",
        error,
        costMicros: 25_000,
        heldMicros: 0,
      });
      expect(await studio.assetsOf(run.id)).toEqual([]);
      expect(await studio.spentOf(run.id)).toMatchObject([{ kind: "spend", micros: 25_000 }]);
    },
  );

  it("an answer with too few pictures succeeds with a warning that names the missing ones", async () => {
    const run = await studio.make("one of three [sim:output-fewer]", { input: { num_images: 3 } });
    const warnings = [
      { type: "missing", feature: "outputs", message: "The provider gave 1 of 3 pictures." },
    ];
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", warnings });
    expect(await studio.assetsOf(run.id)).toHaveLength(1);
  });
});

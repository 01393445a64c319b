import { expect, it } from "vitest";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

onSqlite((create) => {
  async function createStreaming(): Promise<Studio> {
    const studio = await createStudio(await create(), { endsWithTest: true });
    await studio.instance.engine.changeConnection(studio.models.fal.connectionId, {
      values: { streamModels: "sim/flux/dev" },
    });
    return studio;
  }

  it("a streaming model is shown live, saved at the end, and costs its stated price", async () => {
    const studio = await createStreaming();
    const run = await studio.ended((await studio.make("as it comes")).id);
    expect(run).toMatchObject({
      state: "succeeded",
      usage: { units: { "billable-units": "1" } },
      costMicros: 25_000,
    });
    expect(studio.fal.ledger.posts.map(({ door }) => door)).toEqual(["run"]);
    const types = (await studio.events(run.id)).map(({ type }) => type);
    expect(types).toContain("preview");
    expect(types.indexOf("preview")).toBeLessThan(types.indexOf("run-storing"));
    const [asset] = await studio.assetsOf(run.id);
    expect((await studio.bytesOf(asset!.sha256)).length).toBe(asset!.bytes);
  });

  it("a picture stream that tears leaves the run unconfirmed with its reservation, and isn't sent again", async () => {
    const studio = await createStreaming();
    const run = await studio.ended((await studio.make("[sim:sse-torn]")).id);
    expect(run).toMatchObject({
      state: "unconfirmed",
      error: { code: "outcome_unknown" },
      costMicros: null,
    });
    expect(run.heldMicros).toBeGreaterThan(0);
    // Known before the first event, so the bill can correct the cost.
    expect(await studio.attempts(run.id)).toMatchObject([
      { providerRequestId: studio.fal.requestIdOf("[sim:sse-torn]") },
    ]);
    expect(studio.fal.ledger.postsOf("[sim:sse-torn]")).toBe(1);
  });
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { forEachDatabase } from "../../support/databases.ts";
import { createStudio, type Studio } from "../../support/studio.ts";

forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create(), {
      fal: { pace: { by: "time", stepMs: 10 } },
      instance: { outputRetryMs: [10, 10] },
    });
  });
  afterAll(() => studio.close());

  it.each([
    ["404", "output-404"],
    ["a web page", "output-html"],
  ] as const)(
    "a result whose address answers with %s is fetched again, then shown as paid and not retrievable, and is never made again",
    async (_title, fault) => {
      const prompt = `a lost picture [sim:${fault}]`;
      const run = await studio.make(prompt);
      const ended = await studio.ended(run.id);
      expect(ended).toMatchObject({ state: "failed", costMicros: 25_000, error: { code: "output_unavailable" } });
      expect(await studio.spentOf(run.id)).toMatchObject([{ kind: "spend", micros: 25_000 }]);
      expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
      expect(await studio.assetsOf(run.id)).toEqual([]);
      const outputs = await studio.instance.store.db
        .selectFrom("output")
        .select(["state", "remote_url"])
        .where("run_id", "=", run.id)
        .execute();
      expect(outputs).toMatchObject([{ state: "lost" }]);
      const path = new URL(outputs[0]!.remote_url!).pathname;
      expect(studio.fal.ledger.requests.filter((request) => request === `GET ${path}`)).toHaveLength(3);
    },
  );

  it("a result whose download is cut is fetched again until it is whole", async () => {
    const run = await studio.make("a cut picture [sim:output-cut]", { input: { seed: 7 } });
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", warnings: [] });
    const [asset] = await studio.assetsOf(run.id);
    const bytes = await studio.bytesOf(asset!.sha256);
    expect([...studio.fal.files.values()].some((file) => file.bytes !== null && bytes.equals(file.bytes))).toBe(true);
  });

  it("of several results of which one can't be fetched the others are kept, and the run succeeds with a warning", async () => {
    const run = await studio.make("three pictures [sim:output-404-one]", { input: { num_images: 3 } });
    const ended = await studio.ended(run.id);
    expect(ended).toMatchObject({ state: "succeeded", error: null, warnings: [{ type: "lost", feature: "outputs.0" }] });
    expect((await studio.assetsOf(run.id)).map((asset) => asset.outputIndex)).toEqual([1, 2]);
  });

  it("a job that its provider refuses for its content fails as refused and costs nothing", async () => {
    const run = await studio.make("a refused picture [sim:content-policy]");
    expect(await studio.ended(run.id)).toMatchObject({ state: "failed", costMicros: 0, error: { code: "provider_rejected" } });
  });

  it("a setting that only the provider finds wrong fails with the name of its field", async () => {
    const run = await studio.make("a wrong picture [sim:422]");
    expect(await studio.ended(run.id)).toMatchObject({
      state: "failed",
      costMicros: 0,
      error: { code: "provider_invalid_input", field: "seed" },
    });
  });

  it("a result whose bytes are equal to stored ones is a second asset of the same bytes", async () => {
    const [first, second] = await Promise.all([
      studio.make("the same", { input: { seed: 5 } }),
      studio.make("the same", { input: { seed: 5 } }),
    ]);
    await Promise.all([studio.ended(first!.id), studio.ended(second!.id)]);
    const [a] = await studio.assetsOf(first!.id);
    const [b] = await studio.assetsOf(second!.id);
    expect(a!.id).not.toBe(b!.id);
    expect(a!.sha256).toBe(b!.sha256);
  });
});

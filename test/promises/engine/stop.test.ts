import { expect, it } from "vitest";
import { forEachDatabase } from "../../support/databases.ts";
import { createStudio } from "../../support/studio.ts";

forEachDatabase((_, create) => {
  it("bytes that came with an answer are kept when the server is stopped while they are being stored", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { blobs } = studio.instance.engine.deps;
    const put = blobs.put.bind(blobs);
    const began = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    blobs.put = async (...args) => {
      began.resolve();
      await mayGoOn.promise;
      return put(...args);
    };
    const run = await studio.make("paid for", { model: studio.models.openaiImage });
    await began.promise;
    const stopped = studio.instance.engine.stop();
    mayGoOn.resolve();
    await stopped;
    expect(await studio.runOf(run.id)).toMatchObject({ state: "succeeded" });
    const [asset] = await studio.assetsOf(run.id);
    expect((await studio.bytesOf(asset!.sha256)).length).toBe(asset!.bytes);
  });
});

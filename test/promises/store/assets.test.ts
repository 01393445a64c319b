import { expect, it } from "vitest";
import { getAsset, insertAsset, listAssets, updateAssets } from "#store/content/assets.ts";
import { insertConnection } from "#store/models/connections.ts";
import { upsertModels } from "#store/models/models.ts";
import { insertRun } from "#store/runs/runs.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import {
  buildAsset,
  buildConnection,
  buildModel,
  buildRun,
} from "../../support/databases/store-rows.ts";
import { createInstance } from "../../support/server/instance.ts";

forEachDatabase((_, create) => {
  it("a renamed picture is found by its new name, its prompt and its model, and not by its old name", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, start: false });
    const { store, commit } = instance;
    const { projectId, user } = await instance.createPerson("ada@example.org");
    const connection = buildConnection();
    const run = buildRun({
      projectId,
      userId: user.id,
      connectionId: connection.id,
      input: { prompt: "a heron" },
    });
    const asset = buildAsset({
      projectId,
      createdBy: user.id,
      runId: run.id,
      outputIndex: 0,
      title: "First draft",
      promptText: "a heron",
      modelName: "Grandiflora Two",
    });
    await commit(async (unit) => {
      await insertConnection(unit.tx, connection);
      await upsertModels(unit.tx, [
        buildModel({ connectionId: connection.id, name: "Grandiflora Two" }),
      ]);
      await insertRun(unit, run);
      await insertAsset(unit, asset);
    });
    const finds = async (q: string) =>
      (await listAssets(store, { projectId, userId: user.id, q, trash: false, limit: 9 })).assets
        .length;
    await commit((unit) => updateAssets(unit, [asset.id], { title: "Cover" }));
    expect({
      cover: await finds("cover"),
      heron: await finds("heron"),
      model: await finds("grandiflora"),
      old: await finds("draft"),
    }).toEqual({
      cover: 1,
      heron: 1,
      model: 1,
      old: 0,
    });
  });

  it("a permanently deleted file keeps neither its text nor its preview", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, start: false });
    const { store, commit } = instance;
    const { projectId, user } = await instance.createPerson("ada@example.org");
    const words = {
      title: "First draft",
      promptText: "a heron",
      thumbhash: "1QcSHQRnh493V4dIh4eXh1h4kJUI",
      provenance: {
        credentials: { claimGenerator: "ChatGPT", isVerified: false as const },
        digitalSourceType: "trainedAlgorithmicMedia",
      },
    };
    const asset = buildAsset({ projectId, createdBy: user.id, ...words });
    await commit((unit) => insertAsset(unit, asset));
    expect((await getAsset(store.read, asset.id))?.provenance).toEqual(words.provenance);
    await commit((unit) => updateAssets(unit, [asset.id], { deletedAt: unit.at }));
    const left = await store.db
      .selectFrom("asset")
      .select(["title", "prompt_text", "search", "thumbhash", "provenance"])
      .execute();
    expect(left).toEqual([
      { title: "", prompt_text: "", search: "", thumbhash: null, provenance: null },
    ]);
  });
});

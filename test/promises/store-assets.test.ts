import { v7 as uuid } from "uuid";
import { expect, it, onTestFinished } from "vitest";
import { insertAsset, listAssets, updateAssets } from "#store/assets.ts";
import { insertConnection } from "#store/connections.ts";
import { upsertModels } from "#store/models.ts";
import { insertRun } from "#store/runs.ts";
import { forEachDatabase } from "../support/databases.ts";
import { createInstance } from "../support/instance.ts";

const at = 1_795_000_000_000;

forEachDatabase((_, create) => {
  it("a renamed picture is found by its new name, by its prompt and by the model that made it, and not by its old name", async () => {
    const instance = await createInstance(await create(), { start: false });
    onTestFinished(() => instance.close());
    const { store, commit } = instance;
    const { projectId, user } = await instance.createPerson("ada@example.org");
    const [connectionId, runId, assetId] = [uuid(), uuid(), uuid()];
    await commit(async (tx, outbox) => {
      await insertConnection(tx, {
        id: connectionId,
        slug: "c",
        kind: "k",
        name: "c",
        scope: "instance",
        scopeId: null,
        baseUrls: {},
        options: {},
        sealedSecret: null,
        concurrency: 1,
        createdBy: null,
        at,
      });
      await upsertModels(tx, [
        {
          connectionId,
          modelId: "m",
          name: "Grandiflora Two",
          description: "",
          tasks: ["image"],
          inputModalities: [],
          outputModalities: [],
          inputSchema: null,
          schemaHash: null,
          capabilities: {},
          limits: {},
          prices: [],
          status: "active",
          fetchedAt: at,
        },
      ]);
      await insertRun(tx, outbox, {
        id: runId,
        projectId,
        userId: user.id,
        visibility: "project",
        connectionId,
        modelId: "m",
        schemaHash: null,
        task: "image",
        input: { prompt: "a heron" },
        inputHash: "h",
        requestHash: "h",
        idempotencyScope: null,
        idempotencyKey: null,
        batchId: null,
        messageId: null,
        retryOf: null,
        remixOf: null,
        priceSnapshot: null,
        heldMicros: 0,
        at,
      });
      await insertAsset(tx, outbox, {
        id: assetId,
        projectId,
        visibility: "project",
        runId,
        outputIndex: 0,
        uploadId: null,
        createdBy: user.id,
        sha256: "f".repeat(64),
        kind: "image",
        mime: "image/png",
        bytes: 1,
        width: 1,
        height: 1,
        durationMs: null,
        thumbhash: null,
        variants: [],
        title: "First draft",
        promptText: "a heron",
        modelName: "Grandiflora Two",
        createdAt: at,
      });
    });
    const finds = async (q: string) => (await listAssets(store, { projectId, userId: user.id, q, trash: false, limit: 9 })).assets.length;
    await commit((tx, outbox) => updateAssets(tx, outbox, [assetId], { title: "Cover" }, at));
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
});

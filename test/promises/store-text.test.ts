import { v7 as uuid } from "uuid";
import { expect, it, onTestFinished } from "vitest";
import { getAsset, insertAsset, updateAssets } from "#store/assets.ts";
import { lastAttempt, listOutputs, promiseOutputs, updateAttempt } from "#store/attempts.ts";
import { touchBlob } from "#store/blobs.ts";
import { claimRuns } from "#store/claims.ts";
import { getConnection, insertConnection, updateConnection } from "#store/connections.ts";
import { getModel, upsertModels } from "#store/models.ts";
import { insertRun } from "#store/runs.ts";
import { forEachDatabase } from "../support/databases.ts";
import { createInstance } from "../support/instance.ts";

const at = 1_795_000_000_000;
/** PostgreSQL keeps no U+0000, and neither keeps half a character. */
const dirty = "a\u0000 name\uD800";
const clean = "a\uFFFD name\uFFFD";

forEachDatabase((_, create) => {
  it("words of a provider that no database keeps cost nobody a result: they are replaced, and everything else is stored", async () => {
    const instance = await createInstance(await create(), { start: false });
    onTestFinished(() => instance.close());
    const { store, commit } = instance;
    const person = await instance.createPerson("ada@example.org");
    const connection = { id: uuid(), slug: "c", kind: "k", name: "c", scope: "instance", scopeId: null } as const;
    const run = {
      id: uuid(),
      projectId: person.projectId,
      userId: person.user.id,
      visibility: "project",
      connectionId: connection.id,
      modelId: "m",
      schemaHash: null,
      task: "image",
      input: { prompt: dirty },
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
    } as const;
    await commit(async (tx, outbox) => {
      await insertConnection(tx, { ...connection, baseUrls: {}, options: {}, sealedSecret: null, concurrency: 1, createdBy: null, at });
      await updateConnection(tx, connection.id, { status: "failing", statusDetail: dirty });
      await upsertModels(tx, [
        {
          connectionId: connection.id,
          modelId: "m",
          name: dirty,
          description: dirty,
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
      await insertRun(tx, outbox, run);
      await claimRuns(store, tx, outbox, { connectionId: connection.id, workerId: "w", clientToken: uuid, at, most: 1 });
      await updateAttempt(tx, run.id, 1, { provider_request_id: dirty });
      await promiseOutputs(tx, run.id, [{ name: dirty, remoteUrl: `https://x/${dirty}`, expiresAt: null, facts: { mime: dirty } }]);
      await touchBlob(store, tx, { sha256: "f".repeat(64), bytes: 1, mime: dirty, at });
    });
    expect((await getConnection(store.db, connection.id))?.statusDetail).toBe(clean);
    expect(await getModel(store.db, connection.id, "m")).toMatchObject({ name: clean, description: clean });
    expect((await lastAttempt(store.db, run.id))?.providerRequestId).toBe(clean);
    expect(await listOutputs(store.db, run.id)).toMatchObject([{ name: clean, remoteUrl: `https://x/${clean}` }]);

    const assetId = uuid();
    await commit((tx, outbox) =>
      insertAsset(tx, outbox, {
        id: assetId,
        projectId: person.projectId,
        visibility: "project",
        runId: run.id,
        outputIndex: 0,
        uploadId: null,
        createdBy: person.user.id,
        sha256: "f".repeat(64),
        kind: "image",
        mime: "image/png",
        bytes: 1,
        width: 1,
        height: 1,
        durationMs: null,
        thumbhash: null,
        variants: [],
        title: dirty,
        promptText: dirty,
        modelName: dirty,
        createdAt: at,
      }),
    );
    expect(await getAsset(store.db, assetId)).toMatchObject({ title: clean, promptText: clean });
    await commit((tx, outbox) => updateAssets(tx, outbox, [assetId], { title: dirty }, at));
    expect((await getAsset(store.db, assetId))?.title).toBe(clean);
  });

  it("a caller's key with characters that no database keeps is a key like any other, and no error of the server", async () => {
    const instance = await createInstance(await create(), { start: false });
    onTestFinished(() => instance.close());
    const person = await instance.createPerson("ada@example.org");
    const answer = await person.call("createRuns", {
      body: {
        projectId: person.projectId,
        models: [{ connectionId: uuid(), modelId: "m" }],
        task: "image",
        input: { prompt: "a tree" },
        idempotencyKey: dirty,
      },
    });
    expect(answer).toMatchObject({ status: 410, body: { code: "model_gone" } });
  });
});

import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import { getAsset, insertAsset, updateAssets } from "#store/content/assets.ts";
import { touchBlob } from "#store/content/blobs.ts";
import { getConnection, insertConnection, updateConnection } from "#store/models/connections.ts";
import { getModel, upsertModels } from "#store/models/models.ts";
import { lastAttempt, updateAttempt } from "#store/runs/attempts.ts";
import { claimRuns } from "#store/runs/claims.ts";
import { listOutputs, promiseOutputs } from "#store/runs/outputs.ts";
import { insertRun } from "#store/runs/runs.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import {
  at,
  buildAsset,
  buildConnection,
  buildModel,
  buildRun,
} from "../../support/databases/store-rows.ts";
import { createInstance } from "../../support/server/instance.ts";

/** PostgreSQL can't store U+0000, and neither database stores half a character. */
const dirty = "a\u0000 name\uD800";
const clean = "a\uFFFD name\uFFFD";

forEachDatabase((_, create) => {
  it("provider text that no database stores costs nobody a result: it is replaced, and everything else is saved", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, start: false });
    const { store, commit } = instance;
    const { projectId, user } = await instance.createPerson("ada@example.org");
    const connection = buildConnection();
    const run = buildRun({
      projectId,
      userId: user.id,
      connectionId: connection.id,
      input: { prompt: dirty },
    });
    await commit(async (unit) => {
      await insertConnection(unit.tx, connection);
      await updateConnection(unit.tx, connection.id, { status: "failing", statusDetail: dirty });
      await upsertModels(unit.tx, [
        buildModel({ connectionId: connection.id, name: dirty, description: dirty }),
      ]);
      await insertRun(unit, run);
      await claimRuns(unit, {
        connectionId: connection.id,
        workerId: "w",
        clientToken: uuid,
        most: 1,
      });
      await updateAttempt(unit.tx, run.id, 1, { provider_request_id: dirty });
      await promiseOutputs(unit.tx, run.id, [
        {
          name: dirty,
          remoteUrl: `https://x/${dirty}`,
          expiresAt: null,
          sha256: null,
          facts: { mime: dirty },
        },
      ]);
      await touchBlob(unit.tx, { sha256: "f".repeat(64), bytes: 1, mime: dirty, at });
    });
    expect((await getConnection(store.db, connection.id))?.statusDetail).toBe(clean);
    expect(await getModel(store.db, connection.id, "m")).toMatchObject({
      name: clean,
      description: clean,
    });
    expect((await lastAttempt(store.db, run.id))?.providerRequestId).toBe(clean);
    expect(await listOutputs(store.db, run.id)).toMatchObject([
      { name: clean, remoteUrl: `https://x/${clean}` },
    ]);

    const words = { title: dirty, promptText: dirty, modelName: dirty };
    const asset = buildAsset({
      projectId,
      createdBy: user.id,
      runId: run.id,
      outputIndex: 0,
      ...words,
    });
    await commit((unit) => insertAsset(unit, asset));
    expect(await getAsset(store.db, asset.id)).toMatchObject({ title: clean, promptText: clean });
    await commit((unit) => updateAssets(unit, [asset.id], { title: dirty }));
    expect((await getAsset(store.db, asset.id))?.title).toBe(clean);
  });

  it("a caller's key with characters that no database stores works like any other", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, start: false });
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

import { expect, it } from "vitest";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { admitAgain, admitBatch } from "#engine/admit/admit-media.ts";
import { checkConnection } from "#engine/connections/catalogue.ts";
import { connect, ensureBuiltins } from "#engine/connections/connect.ts";
import type { EngineDeps } from "#engine/deps.ts";
import { emptyOutcome, settleRun } from "#engine/settle/settle.ts";
import type { Adapter } from "#providers/adapter.ts";
import { builtin } from "#providers/builtin/adapter.ts";
import { touchBlob } from "#store/content/blobs.ts";
import {
  insertConversation,
  listMessages,
  updateConversation,
} from "#store/content/conversations.ts";
import {
  listUsableConnections,
  lockConnections,
  removeConnection,
} from "#store/models/connections.ts";
import { promiseOutputs } from "#store/runs/outputs.ts";
import { getRun, insertRun, lockRun } from "#store/runs/runs.ts";
import type { Commit } from "#store/runs/unit.ts";
import {
  createTestDatabase,
  forEachDatabase,
  type TestDatabase,
} from "../../support/databases/databases.ts";
import { at, buildAsset, buildConversation, buildRun } from "../../support/databases/store-rows.ts";
import { isAnyoneWaiting } from "../../support/databases/test-store.ts";
import { createInstance, until } from "../../support/server/instance.ts";

/** A server that admits runs and claims none, with the built-in models and a person. */
async function createDesk(database: TestDatabase) {
  const instance = await createInstance(database, {
    endsWithTest: true,
    adapters: [builtin],
    role: "web",
  });
  const person = await instance.createPerson("ada@example.org", { role: "owner" });
  const { engineDeps: deps, store } = instance;
  const connectionId = (await listUsableConnections(store.db, person.user.id))[0]!.id;
  const asker = { userId: person.user.id };
  const picture = {
    projectId: person.projectId,
    models: [{ connectionId, modelId: "pattern" }],
    task: "image" as const,
    input: { prompt: "sea" },
    variants: 1,
  };
  const conversation = buildConversation({ projectId: person.projectId, userId: person.user.id });
  await instance.commit((unit) => insertConversation(unit, conversation));
  return {
    instance,
    deps,
    store,
    person,
    asker,
    picture,
    conversationId: conversation.id,
    connectionId,
  };
}

/** The same dependencies, with an event between the reads before the unit and the unit itself. */
const meanwhile = (deps: EngineDeps, happens: () => Promise<unknown>): EngineDeps => {
  const commit: Commit = async (unit) => {
    await happens();
    return deps.commit(unit);
  };
  return { ...deps, commit };
};

forEachDatabase((_, create) => {
  it("only a failed or unconfirmed run is retried", async () => {
    const { deps, store, asker, picture, instance } = await createDesk(await create());
    const { runs } = await admitBatch(deps, asker, picture);
    const id = runs[0]!.id;
    const inState = async (state: string) => {
      await instance.commit(({ tx }) =>
        tx.updateTable("run").set({ state }).where("id", "=", id).execute(),
      );
      return (await getRun(store.db, id))!;
    };
    for (const state of ["queued", "submitting", "submitted", "running", "storing", "succeeded"])
      await expect(admitAgain(deps, asker, await inState(state), "same")).rejects.toMatchObject({
        code: "conflict",
      });
    for (const state of ["failed", "cancelled", "unconfirmed"])
      expect(await admitAgain(deps, asker, await inState(state), "same")).toMatchObject({
        retryOf: id,
        state: "queued",
      });
  });

  it("a message without a question is saved once per key, however often and simultaneously it is sent", async () => {
    const { deps, store, asker, conversationId } = await createDesk(await create());
    const say = (text: string) =>
      admitMessage(deps, asker, {
        conversationId,
        parentId: null,
        text,
        attachments: [],
        idempotencyKey: "edit-1",
      });
    const said = await Promise.all([
      say("a better word"),
      say("a better word"),
      say("a better word"),
    ]);
    said.push(await say("a better word"));
    expect(new Set(said.map(({ message }) => message.id)).size).toBe(1);
    expect(said.map(({ answer, run }) => [answer, run])).toEqual(said.map(() => [null, null]));
    expect(await listMessages(store.db, conversationId)).toHaveLength(1);
    await expect(say("another word")).rejects.toMatchObject({ code: "idempotency_mismatch" });
  });

  it("removing or disabling a connection during a run's admission refuses the run, which nobody could claim", async () => {
    const { deps, store, asker, picture, connectionId, instance } = await createDesk(
      await create(),
    );
    const off = () =>
      instance.commit(({ tx }) =>
        tx
          .updateTable("connection")
          .set({ status: "disabled" })
          .where("id", "=", connectionId)
          .execute(),
      );
    const on = () =>
      instance.commit(({ tx }) =>
        tx.updateTable("connection").set({ status: "ok" }).where("id", "=", connectionId).execute(),
      );
    await expect(admitBatch(meanwhile(deps, off), asker, picture)).rejects.toMatchObject({
      code: "model_gone",
    });
    await on();
    const remove = () => instance.commit(({ tx }) => removeConnection(tx, connectionId));
    await expect(admitBatch(meanwhile(deps, remove), asker, picture)).rejects.toMatchObject({
      code: "model_gone",
    });
    expect(await store.db.selectFrom("run").select("id").execute()).toEqual([]);
  });

  it("an answer requested while its conversation is being shared is shared too, with its run's results", async () => {
    const { deps, store, asker, conversationId, connectionId, instance, person } = await createDesk(
      await create(),
    );
    const share = () =>
      instance.commit((unit) =>
        updateConversation(unit, conversationId, { visibility: "project" }),
      );
    const ask = { model: { connectionId, modelId: "guide" }, settings: {} };
    const { run } = await admitMessage(meanwhile(deps, share), asker, {
      conversationId,
      parentId: null,
      text: "hello",
      attachments: [],
      ask,
    });
    expect(run?.visibility).toBe("project");

    // The run as a worker read it before it was shared.
    const known = { ...(await getRun(store.db, run!.id))!, visibility: "author" as const };
    await instance.commit(({ tx }) =>
      tx.updateTable("run").set({ state: "storing" }).where("id", "=", known.id).execute(),
    );
    const { projectId, visibility } = known;
    const asset = buildAsset({
      projectId,
      visibility,
      createdBy: person.user.id,
      runId: known.id,
      outputIndex: 0,
    });
    const { sha256, bytes, mime } = asset;
    const promised = { name: "a.png", remoteUrl: null, expiresAt: null, sha256, facts: {} };
    await instance.commit(async ({ tx }) => {
      await touchBlob(tx, { sha256, bytes, mime, at });
      await promiseOutputs(tx, known.id, [promised]);
    });
    await instance.commit((unit) =>
      settleRun(unit, deps, known, {
        ...emptyOutcome,
        steps: [{ type: "stored" }],
        interrupted: false,
        assets: [{ index: 0, asset }],
      }),
    );
    expect(
      await store.db.selectFrom("asset").select("visibility").where("id", "=", asset.id).execute(),
    ).toEqual([{ visibility: "project" }]);
  });

  it("a check started before its connection was disabled or changed reports nothing afterwards", async () => {
    let happens: () => Promise<unknown> = async () => undefined;
    const slow: Adapter = {
      kind: "slow",
      name: "Slow",
      summary: "",
      group: "media",
      docs: "",
      fields: [{ name: "api", label: "Address", kind: "url", required: true, address: "api" }],
      addresses: {},
      tasks: [],
      async check() {
        await happens();
        return { message: "fine" };
      },
      async *models() {
        yield [];
      },
    };
    const instance = await createInstance(await create(), {
      endsWithTest: true,
      adapters: [slow],
      role: "web",
    });
    const person = await instance.createPerson("ada@example.org", { role: "owner" });
    const values = { api: "http://127.0.0.1:9" };
    const { connection } = await connect(instance.engineDeps, {
      kind: "slow",
      name: "s",
      scope: "instance",
      userId: person.user.id,
      values,
    });
    expect(connection.status).toBe("ok");
    happens = () =>
      instance.engine.changeConnection(connection.id, { values: { api: "http://127.0.0.1:10" } });
    expect((await checkConnection(instance.engineDeps, connection.id)).connection.status).toBe(
      "unchecked",
    );
    happens = () => instance.engine.changeConnection(connection.id, { disabled: true });
    expect((await checkConnection(instance.engineDeps, connection.id)).connection.status).toBe(
      "disabled",
    );
  });

  it("two first servers of one database create the built-in models once", async () => {
    const { deps, store, instance, person } = await createDesk(await create());
    const [known] = await listUsableConnections(store.db, person.user.id);
    await instance.commit(({ tx }) => removeConnection(tx, known!.id));
    const both = Promise.withResolvers<void>();
    let ready = 0;
    const atOnce = () => {
      let first = true;
      return meanwhile(deps, async () => {
        if (!first) return;
        first = false;
        if (++ready === 2) both.resolve();
        await both.promise;
      });
    };
    await Promise.all([ensureBuiltins(atOnce()), ensureBuiltins(atOnce())]);
    expect(await listUsableConnections(store.db, person.user.id)).toHaveLength(1);
  });
});

// SQLite allows no other transaction in between.
it("removing a connection waits for a run that is being admitted, and then keeps it", async () => {
  const { instance, store, deps, asker, picture, connectionId } = await createDesk(
    await createTestDatabase("postgres"),
  );
  const { runs } = await admitBatch(deps, asker, picture);
  const first = (await lockRun(store.db, runs[0]!.id))!;
  await instance.commit(({ tx }) =>
    tx
      .updateTable("run")
      .set({ state: "failed", finished_at: at })
      .where("id", "=", first.id)
      .execute(),
  );
  const kept = Promise.withResolvers<void>();
  const admitting = instance.commit(async (unit) => {
    expect((await lockConnections(unit.tx, [connectionId])).size).toBe(1);
    kept.resolve();
    await until("the other waits", () => isAnyoneWaiting(store));
    const { projectId, userId } = first;
    await insertRun(unit, buildRun({ projectId, userId, connectionId }));
  });
  await kept.promise;
  const removing = instance.commit(({ tx }) => removeConnection(tx, connectionId));
  await admitting;
  expect(await removing).toBe(false);
  expect(
    await store.db.selectFrom("connection").select("id").where("id", "=", connectionId).execute(),
  ).toHaveLength(1);
});

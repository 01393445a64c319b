import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKeptModels } from "#engine/threads/lists/kept-models.ts";
import { insertConnection, updateConnection } from "#store/models/connections.ts";
import { setModelUsers, updateAccessSettings } from "#store/models/model-access.ts";
import { markModelGone, upsertModels } from "#store/models/models.ts";
import { type NamedFrom, writeOpenAiModels } from "#store/models/named-models.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { buildConnection, buildModel } from "../../../support/databases/store-rows.ts";
import { createInstance, type Instance } from "../../../support/server/instance.ts";

forEachDatabase((_, create) => {
  let instance: Instance;
  let asking: { userId: string; projectId: string };
  let other: { userId: string; projectId: string };
  const connection = buildConnection();
  beforeAll(async () => {
    instance = await createInstance(await create(), { start: false });
    await instance.createPerson("owner@example.org");
    const [ada, eve] = await Promise.all(
      ["ada@example.org", "eve@example.org"].map((email) => instance.createPerson(email)),
    );
    asking = { userId: ada!.user.id, projectId: ada!.projectId };
    other = { userId: eve!.user.id, projectId: eve!.projectId };
    await instance.store.write(async (tx) => {
      await insertConnection(tx, connection);
      await upsertModels(tx, [modelOf("first"), modelOf("second")]);
    });
  });
  afterAll(() => instance.close());

  const modelOf = (modelId: string) =>
    buildModel({ connectionId: connection.id, modelId, name: modelId });
  /** A server that caches lists, with the number of times that it wrote one. */
  function createServer() {
    const { store } = instance;
    let written = 0;
    const list = createKeptModels(store.read, (from: NamedFrom) => {
      written += 1;
      return writeOpenAiModels(store, from);
    });
    return {
      written: () => written,
      async ids(who = asking): Promise<string[]> {
        const { data } = JSON.parse(new TextDecoder().decode(await list(who)));
        return data.map(({ model_id }: { model_id: string }) => model_id);
      },
    };
  }

  it("a list of models is serialized once for everyone who has the same one, and again only for its changes", async () => {
    const [here, there] = [createServer(), createServer()];
    const both = async () => {
      const [ids, same] = await Promise.all([here.ids(), there.ids()]);
      expect(same).toEqual(ids);
      return ids;
    };
    expect(await both()).toEqual(["first", "second"]);
    expect(await here.ids(other)).toEqual(["first", "second"]);
    expect(here.written()).toBe(1);

    const { store } = instance;
    await store.write((tx) => upsertModels(tx, [modelOf("third")]));
    expect(await both()).toEqual(["first", "second", "third"]);
    await store.write((tx) => markModelGone(tx, connection.id, "third"));
    expect(await both()).toEqual(["first", "second"]);

    const second = [{ connectionId: connection.id, modelId: "second" }];
    await store.write((tx) => setModelUsers(tx, second, { who: "admins" }));
    expect(await both()).toEqual(["first"]);
    await store.write((tx) =>
      setModelUsers(tx, second, { who: "these", userIds: [other.userId], projectIds: [] }),
    );
    expect(await both()).toEqual(["first"]);
    expect(await here.ids(other)).toEqual(["first", "second"]);
    await store.write((tx) => setModelUsers(tx, second, null));
    expect(await both()).toEqual(["first", "second"]);

    await store.write((tx) => updateAccessSettings(tx, { modelsFor: "admins" }));
    expect(await both()).toEqual([]);
    await store.write((tx) => updateAccessSettings(tx, { modelsFor: "everyone" }));
    await store.write((tx) => updateConnection(tx, connection.id, { status: "disabled" }));
    expect(await both()).toEqual([]);
    await store.write((tx) => updateConnection(tx, connection.id, { status: "ok" }));
    const before = here.written();
    expect(await both()).toEqual(["first", "second"]);
    expect(here.written()).toBe(before);
  });

  it("a list whose serialization failed is serialized the next time", async () => {
    let fails = true;
    const list = createKeptModels(instance.store.read, async (from) => {
      if (fails) throw new Error(uuid());
      return writeOpenAiModels(instance.store, from);
    });
    await expect(list(asking)).rejects.toThrow();
    fails = false;
    expect((await list(asking)).length).toBeGreaterThan(10);
  });
});

import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import type { ModelRef, User } from "#contract/entities.ts";
import { keyScopes } from "#contract/key-scopes.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { createInstance } from "../../support/server/instance.ts";

forEachDatabase((_, create) => {
  it("a person's defaults are changed one by one, and are in their session", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, start: false });
    const ada = await instance.createPerson("ada@example.org");
    const ben = await instance.createPerson("ben@example.org");
    const chatModel = { connectionId: uuid(), modelId: "large" };
    const set = async (defaults: object) =>
      (await ada.call<{ user: User }>("updatePreferences", { body: { defaults } })).body.user
        ?.defaults;
    const none = { chatModel: null, pictureModel: null, pictureShape: null, notices: null };
    expect(await set({ chatModel })).toEqual({ ...none, chatModel });
    expect(await set({ pictureShape: "16:9" })).toEqual({
      ...none,
      chatModel,
      pictureShape: "16:9",
    });
    expect(await set({ chatModel: null })).toEqual({ ...none, pictureShape: "16:9" });
    const me = await ada.call<{ user: User }>("getMe");
    expect(me.body.user.defaults.pictureShape).toBe("16:9");
    expect((await ben.call<{ user: User }>("getMe")).body.user.defaults).toEqual(none);
    const refused = await ada.call("updatePreferences", {
      body: { defaults: { pictureShape: "5:1" } },
    });
    expect(refused.status).toBe(422);
  });

  it("an API key with the scope changes its maker's preferences, and nobody else's", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, start: false });
    const ada = await instance.createPerson("ada@example.org");
    const ben = await instance.createPerson("ben@example.org");
    const before = (await ben.call<{ user: User }>("getMe")).body.user;
    const titleModel = { connectionId: uuid(), modelId: "small" };
    const change = {
      body: { titleModel, theme: "dark", defaults: { pictureShape: "1:1", notices: "long" } },
    } as const;

    const without = await instance.createKey(ada, {
      scopes: keyScopes.filter((scope) => scope !== "preferences"),
    });
    expect((await without.call("updatePreferences", change)).status).toBe(403);
    const key = await instance.createKey(ada, { scopes: ["preferences"] });
    expect((await key.call<{ user: User }>("updatePreferences", change)).body.user).toMatchObject({
      id: ada.user.id,
      ...{ titleModel, theme: "dark" },
      defaults: { pictureShape: "1:1", notices: "long" },
    });
    expect((await ada.call<{ user: User }>("getMe")).body.user.titleModel).toEqual(titleModel);
    expect((await ben.call<{ user: User }>("getMe")).body.user).toEqual(before);

    expect((await key.call("updateMe", { body: { name: "Eve" } })).status).toBe(403);
    const named = await key.call("updatePreferences", { body: { name: "Eve" } });
    expect(named.status).toBe(422);
  });

  it("an API key limited to models sets no other as a default or for titles", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, start: false });
    const ada = await instance.createPerson("ada@example.org");
    const key = await instance.createKey(ada, { scopes: ["preferences"] });
    const models = ["allowed", "other"].map((modelId) => ({ connectionId: uuid(), modelId }));
    const [allowed, other] = models as [ModelRef, ModelRef];
    await instance.store.db
      .updateTable("api_key")
      .set({ models: JSON.stringify([allowed]) })
      .where("id", "=", key.id)
      .execute();
    const set = async (body: object) => (await key.call("updatePreferences", { body })).status;
    for (const of of [
      (model: ModelRef | null) => ({ titleModel: model }),
      (model: ModelRef | null) => ({ defaults: { chatModel: model } }),
      (model: ModelRef | null) => ({ defaults: { pictureModel: model } }),
    ])
      expect([await set(of(other)), await set(of(allowed)), await set(of(null))]).toEqual([
        403, 200, 200,
      ]);
  });
});

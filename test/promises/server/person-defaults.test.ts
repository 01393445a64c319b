import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import type { User } from "#contract/entities.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { createInstance } from "../../support/server/instance.ts";

forEachDatabase((_, create) => {
  it("a person's defaults are changed one by one, and are in their session", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, start: false });
    const ada = await instance.createPerson("ada@example.org");
    const ben = await instance.createPerson("ben@example.org");
    const chatModel = { connectionId: uuid(), modelId: "large" };
    const set = async (defaults: object) =>
      (await ada.call<{ user: User }>("updateMe", { body: { defaults } })).body.user?.defaults;
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
    const refused = await ada.call("updateMe", { body: { defaults: { pictureShape: "5:1" } } });
    expect(refused.status).toBe(422);
  });
});

import { expect, it } from "vitest";
import type { Model } from "#contract/entities.ts";
import type { Adapter } from "#providers/adapter.ts";
import { openaiCompatible } from "#providers/openai-compatible/adapter.ts";
import { forEachDatabase } from "../support/databases.ts";
import { createInstance } from "../support/instance.ts";

const offering: Adapter = {
  ...openaiCompatible,
  check: async () => ({ message: "It answers." }),
  async *models() {
    const facts = { inputModalities: [], outputModalities: [], inputSchema: null, capabilities: {}, limits: {}, price: null };
    yield [{ ...facts, id: "secret-project", name: "Secret project", tasks: ["chat" as const], status: "active" as const }];
  },
};

forEachDatabase((_, create) => {
  it("the models of a person's own connection are listed, found, opened and starred by nobody else", async () => {
    const instance = await createInstance(await create(), { adapters: [offering], endsWithTest: true });
    const owner = await instance.createPerson("ada@example.org", { role: "owner" });
    const other = await instance.createPerson("eve@example.org", { role: "admin" });
    const values = { api: "https://api.example.org/v1", key: "k" };
    const wish = { kind: "openai-compatible", name: "Mine", scope: "user" as const, userId: owner.user.id, values };
    const { id: connectionId } = (await instance.engine.connect(wish)).connection;
    const modelId = "secret-project";
    const list = async (person: typeof owner, query: Record<string, string>) =>
      (await person.call<{ models: Model[] }>("listModels", { query: { projectId: person.projectId, ...query } })).body.models;
    const star = (person: typeof owner) => person.call("starModel", { params: { connectionId }, body: { modelId } });

    expect((await star(owner)).status).toBe(200);
    for (const query of [{}, { connectionId }, { search: "secret" }, { search: "mine" }, { starred: "true" }] as Record<string, string>[]) {
      expect(await list(owner, query)).toMatchObject([{ modelId, isStarred: true }]);
      expect(await list(other, query)).toEqual([]);
    }
    expect((await star(other)).status).toBe(404);
    const opened = { params: { connectionId }, query: { projectId: other.projectId, model: modelId } };
    expect((await other.call("getModel", opened)).status).toBe(404);
  });
});

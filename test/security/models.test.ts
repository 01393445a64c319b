import { expect, it } from "vitest";
import type { Model } from "#contract/entities.ts";
import { connect } from "#engine/connections/connect.ts";
import type { Adapter } from "#providers/adapter.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import { createInstance } from "../support/server/instance.ts";

const offering: Adapter = {
  ...openaiCompatible,
  check: async () => ({ message: "It answers." }),
  async *models() {
    const facts = {
      inputModalities: [],
      outputModalities: [],
      inputSchema: null,
      capabilities: {},
      limits: {},
      price: null,
    };
    yield [
      {
        ...facts,
        id: "secret-project",
        name: "Secret project",
        tasks: ["chat" as const],
        status: "active" as const,
      },
    ];
  },
};

forEachDatabase((_, create) => {
  it("only its owner can list, find, open and star the models of a personal connection", async () => {
    const instance = await createInstance(await create(), {
      adapters: [offering],
      endsWithTest: true,
    });
    const owner = await instance.createPerson("ada@example.org", { role: "owner" });
    const other = await instance.createPerson("eve@example.org", { role: "admin" });
    const values = { api: "https://api.example.org/v1", key: "k" };
    const wish = {
      kind: "openai-compatible",
      name: "Mine",
      scope: "user" as const,
      scopeId: owner.user.id,
      userId: owner.user.id,
      values,
    };
    const { id: connectionId } = (await connect(instance.engineDeps, wish)).connection;
    const modelId = "secret-project";
    const list = async (person: typeof owner, query: Record<string, string>) =>
      (
        await person.call<{ models: Model[] }>("listModels", {
          query: { projectId: person.projectId, ...query },
        })
      ).body.models;
    const star = (person: typeof owner) =>
      person.call("starModel", { params: { connectionId }, body: { modelId } });

    expect((await star(owner)).status).toBe(200);
    for (const query of [
      {},
      { connectionId },
      { search: "secret" },
      { search: "mine" },
      { starred: "true" },
    ] as Record<string, string>[]) {
      expect(await list(owner, query)).toMatchObject([{ modelId, isStarred: true }]);
      expect(await list(other, query)).toEqual([]);
    }
    expect((await star(other)).status).toBe(404);

    const ofOwner = await instance.createKey(owner, { scopes: ["preferences"] });
    const ofOther = await instance.createKey(other);
    const starWith = (key: typeof ofOwner) =>
      key.call("starModel", { params: { connectionId }, body: { modelId } });
    const unstarWith = (key: typeof ofOwner) =>
      key.call("unstarModel", { params: { connectionId }, query: { model: modelId } });
    expect([(await starWith(ofOther)).status, (await unstarWith(ofOther)).status]).toEqual([
      404, 404,
    ]);
    expect(await list(owner, { starred: "true" })).toHaveLength(1);
    expect((await unstarWith(ofOwner)).status).toBe(200);
    expect(await list(owner, {})).toMatchObject([{ modelId, isStarred: false }]);
    expect((await starWith(ofOwner)).status).toBe(200);
    expect(await list(owner, { starred: "true" })).toMatchObject([{ modelId, isStarred: true }]);
    const opened = {
      params: { connectionId },
      query: { projectId: other.projectId, model: modelId },
    };
    expect((await other.call("getModel", opened)).status).toBe(404);
  });

  it("a project's connection is managed by its managers and used by its members, only there", async () => {
    const instance = await createInstance(await create(), {
      adapters: [offering],
      endsWithTest: true,
    });
    const [manager, editor, viewer, stranger] = await Promise.all([
      instance.createPerson("ada@example.org"),
      instance.createPerson("eve@example.org"),
      instance.createPerson("vic@example.org"),
      instance.createPerson("sam@example.org", { role: "owner" }),
    ]);
    const { projectId } = manager;
    await instance.commit(async ({ tx }) => {
      await insertMember(tx, { projectId, userId: editor.user.id, role: "editor", at: 0 });
      await insertMember(tx, { projectId, userId: viewer.user.id, role: "viewer", at: 0 });
    });
    const values = { api: "https://api.example.org/v1", key: "sk-of-the-project" };
    const body = { kind: "openai-compatible", name: "Ours", values };
    for (const [who, status] of [
      [editor, 403],
      [viewer, 403],
      [stranger, 404],
    ] as const)
      expect(
        (await who.call("createProjectConnection", { params: { projectId }, body })).status,
      ).toBe(status);
    const made = await manager.call<{ connection: { id: string } }>("createProjectConnection", {
      params: { projectId },
      body,
    });
    expect(made).toMatchObject({
      status: 200,
      body: { connection: { scope: "project", scopeId: projectId, hasSecret: true } },
    });
    expect(JSON.stringify(made.body)).not.toContain("sk-of");
    const { id: connectionId } = made.body.connection;

    type Listed = {
      connections: { id: string; mayManage: boolean; models: number }[];
      mayAdd: boolean;
    };
    const listed = async (who: typeof manager) =>
      (await who.call<Listed>("listProjectConnections", { params: { projectId } })).body;
    expect(await listed(manager)).toMatchObject({
      mayAdd: true,
      connections: [{ id: connectionId, mayManage: true, models: 1 }],
    });
    expect(await listed(viewer)).toMatchObject({
      mayAdd: false,
      connections: [{ id: connectionId, mayManage: false }],
    });
    expect((await stranger.call("listProjectConnections", { params: { projectId } })).status).toBe(
      404,
    );
    for (const who of [editor, viewer])
      expect(
        (await who.call("updateConnection", { params: { connectionId }, body: {} })).status,
      ).toBe(403);
    expect(
      (await stranger.call("updateConnection", { params: { connectionId }, body: {} })).status,
    ).toBe(404);
    expect(
      (
        await manager.call("updateConnection", {
          params: { connectionId },
          body: { name: "Ours now" },
        })
      ).status,
    ).toBe(200);

    const models = async (who: typeof manager, where: string) =>
      (
        await who.call<{ models: Model[] }>("listModels", {
          query: { projectId: where, connectionId },
        })
      ).body.models;
    expect(await models(editor, projectId)).toHaveLength(1);
    expect(await models(editor, editor.projectId)).toEqual([]);
    await stranger.call("updateAccess", { body: { membersConnect: false } });
    expect(
      (await manager.call("createProjectConnection", { params: { projectId }, body })).status,
    ).toBe(403);
    expect((await listed(manager)).mayAdd).toBe(false);
    expect((await manager.call("removeConnection", { params: { connectionId } })).status).toBe(200);
    expect((await listed(editor)).connections).toEqual([]);
  });
});

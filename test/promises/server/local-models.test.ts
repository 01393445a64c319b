import { expect, it, onTestFinished } from "vitest";
import type { Model } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { actOnModel } from "#engine/connections/local-models.ts";
import { toAdapter } from "#providers/presets/adapter.ts";
import { llamacpp } from "#providers/presets/llamacpp.ts";
import { ollama } from "#providers/services/ollama/adapter.ts";
import { type LlamaOptions, startLlama } from "../../simulators/llamacpp.ts";
import { startOllama } from "../../simulators/ollama.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { createInstance } from "../../support/server/instance.ts";

onSqlite((create) => {
  it("people who manage a connection load and unload its server's models, and all its users see which are loaded", async () => {
    const server = await startLlama({
      isRouter: true,
      models: [
        { id: "a-chat", state: "loaded" },
        { id: "b-chat", contextPerSlot: 2_048 },
      ],
    });
    onTestFinished(() => server.stop());
    const adapters = [toAdapter(llamacpp)];
    const instance = await createInstance(await create(), { adapters, endsWithTest: true });
    const owner = await instance.createPerson("ada@example.org", { role: "owner" });
    const member = await instance.createPerson("bo@example.org");
    const made = await owner.call<{ connection: { id: string } }>("createConnection", {
      body: { kind: "llamacpp", name: "llama", scope: "instance", values: { api: server.url } },
    });
    expect(made.status).toBe(200);
    const params = { connectionId: made.body.connection.id };
    const states = async () => {
      const { body } = await member.call<RouteOutput<"listLocalModels">>("listLocalModels", {
        params,
      });
      expect(body.acts).toEqual(["load", "unload"]);
      expect(body.loaded.map(({ model }) => model)).toEqual(server.loaded());
      return body.models.map(({ name, state }) => `${name} ${state}`);
    };
    const models = async () =>
      (
        await member.call<{ models: Model[] }>("listModels", {
          query: { projectId: member.projectId, price: "free" },
        })
      ).body.models;

    expect(await states()).toEqual(["a-chat loaded", "b-chat unloaded"]);
    // A person's own server is free of charge, even if no list says so.
    expect((await models()).map(({ modelId, prices }) => [modelId, prices[0]?.micros])).toEqual([
      ["a-chat", "0"],
      ["b-chat", "0"],
    ]);
    const load = { params, body: { model: "b-chat" } };
    expect((await member.call("loadLocalModel", load)).status).toBe(403);
    expect(server.loaded()).toEqual(["a-chat"]);
    expect((await owner.call("loadLocalModel", load)).status).toBe(200);
    expect(await states()).toEqual(["a-chat loaded", "b-chat loaded"]);
    const loaded = (await models()).find(({ modelId }) => modelId === "b-chat");
    expect(loaded?.limits, "its context is known once it is loaded").toEqual({
      contextTokens: 2_048,
    });
    expect((await member.call("unloadLocalModel", load)).status).toBe(403);
    expect((await owner.call("unloadLocalModel", load)).status).toBe(200);
    expect(await states()).toEqual(["a-chat loaded", "b-chat unloaded"]);
    const audit = await owner.call<RouteOutput<"listAudit">>("listAudit", {
      query: { limit: "2" },
    });
    expect(audit.body.events.map(({ action, detail }) => [action, detail])).toEqual([
      ["unload-model", { model: "b-chat" }],
      ["load-model", { model: "b-chat" }],
    ]);
    const pull = await owner.call<{ error: { message: string } }>("removeLocalModel", {
      params,
      query: { model: "b-chat" },
    });
    expect(pull.status).toBe(422);
    expect(JSON.stringify(pull.body)).toContain("manages its own models");
  });

  /** A router that takes three questions to load a model. */
  async function openRouter(options: LlamaOptions) {
    const server = await startLlama({ isRouter: true, loadingLists: 3, ...options });
    onTestFinished(() => server.stop());
    const adapters = [toAdapter(llamacpp)];
    const instance = await createInstance(await create(), { adapters, endsWithTest: true });
    const owner = await instance.createPerson("ada@example.org", { role: "owner" });
    const made = await owner.call<{ connection: { id: string } }>("createConnection", {
      body: { kind: "llamacpp", name: "llama", scope: "instance", values: { api: server.url } },
    });
    return { ...instance, owner, connectionId: made.body.connection.id };
  }

  it("a model that a router only begins to load is read once it is loaded", async () => {
    const { deps, owner, connectionId } = await openRouter({
      models: [{ id: "a-chat", contextPerSlot: 2_048 }],
    });
    const waits: number[] = [];
    const wait = async (ms: number) => void waits.push(ms);
    await actOnModel(deps, "load", connectionId, "a-chat", { wait });
    expect(waits).toHaveLength(3);
    const { models } = (
      await owner.call<{ models: Model[] }>("listModels", {
        query: { projectId: owner.projectId, price: "free" },
      })
    ).body;
    expect(models[0]?.limits).toEqual({ contextTokens: 2_048 });
  });

  it("a load that fails at the router, or doesn't end in time, is an error", async () => {
    const { deps, connectionId } = await openRouter({
      models: [{ id: "a-chat" }, { id: "b-chat" }],
      broken: ["a-chat"],
    });
    const wait = async () => undefined;
    await expect(actOnModel(deps, "load", connectionId, "a-chat", { wait })).rejects.toMatchObject({
      code: "provider_failed",
      detail: { message: expect.stringContaining("a-chat"), connectionId },
    });
    const late = new AbortController();
    await expect(
      actOnModel(deps, "load", connectionId, "b-chat", {
        wait: async () => late.abort(),
        signal: late.signal,
      }),
    ).rejects.toMatchObject({ code: "provider_timeout", detail: { connectionId } });
  });

  it("a pulled and a removed model are in the audit log", async () => {
    const server = await startOllama();
    onTestFinished(() => server.stop());
    const adapters = [ollama];
    const instance = await createInstance(await create(), { adapters, endsWithTest: true });
    const owner = await instance.createPerson("ada@example.org", { role: "owner" });
    const made = await owner.call<{ connection: { id: string } }>("createConnection", {
      body: { kind: "ollama", name: "Ollama", scope: "instance", values: { address: server.url } },
    });
    const { id: connectionId } = made.body.connection;
    const url = await instance.listen();
    const model = "tinyllama:latest";
    const pulled = await fetch(`${url}/api/v1/connections/${connectionId}/local-models`, {
      method: "POST",
      headers: { cookie: owner.cookie, origin: url, "content-type": "application/json" },
      body: JSON.stringify({ model }),
    });
    expect(await pulled.text()).toContain("event: done");
    const removed = await owner.call("removeLocalModel", {
      params: { connectionId },
      query: { model },
    });
    expect(removed.status).toBe(200);
    const { events } = (
      await owner.call<RouteOutput<"listAudit">>("listAudit", { query: { limit: "2" } })
    ).body;
    expect(events.map(({ action, detail }) => [action, detail])).toEqual([
      ["remove-model", { model }],
      ["pull-model", { model }],
    ]);
  });
});

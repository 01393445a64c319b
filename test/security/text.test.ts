import { afterAll, beforeAll, expect, it } from "vitest";
import { builtin } from "#providers/builtin/adapter.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import { type Caller, createInstance, type Instance, until } from "../support/server/instance.ts";

const toCursor = (values: unknown): string =>
  Buffer.from(JSON.stringify(values)).toString("base64url");

forEachDatabase((_, create) => {
  let instance: Instance;
  let owner: Caller;
  let connectionId: string;
  beforeAll(async () => {
    instance = await createInstance(await create(), { adapters: [builtin] });
    owner = await instance.createPerson("owner@example.org", { role: "owner" });
    const { connections } = (await owner.call("listConnections")).body as {
      connections: { id: string }[];
    };
    connectionId = connections[0]!.id;
  });
  afterAll(() => instance.close());

  it("a run with U+0000 and half surrogates anywhere in its input ends, with the text cleaned", async () => {
    const made = await owner.call("createRuns", {
      body: {
        projectId: owner.projectId,
        models: [{ connectionId, modelId: "pattern" }],
        task: "image",
        input: { prompt: "sea\u0000 \ud800!" },
        idempotencyKey: "a\u0000b",
      },
    });
    expect(made.status).toBe(200);
    const id = (made.body.runs as { id: string }[])[0]!.id;
    const run = await until("the run ends", async () => {
      const found = (await owner.call("getRun", { params: { runId: id } })).body.run as {
        state: string;
        input: { prompt: string };
      };
      return ["succeeded", "failed"].includes(found.state) && found;
    });
    expect(run).toMatchObject({ state: "succeeded", input: { prompt: "sea\uFFFD \uFFFD!" } });
  });

  it("no text in a body, path or query that PostgreSQL refuses causes an internal error", async () => {
    const answers = [
      await instance.anonymous("signIn", {
        body: { email: "a\u0000@example.org", password: "wrong\u0000 password" },
      }),
      await instance.anonymous("getInvite", { params: { token: "a%00b" } }),
      await owner.call("revokeSession", { params: { sessionId: "a%00b" } }),
      await owner.call("updatePreferences", {
        body: { locale: "e\u0000n", timeZone: "UTC\ud800" },
      }),
      await owner.call("createConversation", {
        body: { projectId: owner.projectId, settings: { "a\u0000": ["\u0000"] } },
      }),
      await owner.call("createConnection", {
        body: { kind: "no\u0000ne", name: "n", scope: "user", values: { "a\u0000": "\u0000" } },
      }),
      await owner.call("listAssets", { query: { projectId: owner.projectId, q: "a\u0000b" } }),
      await owner.call("listModels", { query: { projectId: owner.projectId, search: "a\u0000b" } }),
      await owner.call("listPeople", { query: { q: "a\u0000b" } }),
      await owner.call("searchConversations", {
        query: { projectId: owner.projectId, q: "a\u0000b" },
      }),
      await owner.call("getModel", {
        params: { connectionId },
        query: { projectId: owner.projectId, model: "a\u0000b" },
      }),
    ];
    expect(answers.map((answer) => answer.status).filter((status) => status >= 500)).toEqual([]);
  });

  it("an impossible id in an address answers like a missing one", async () => {
    const answers = [
      await owner.call("getRun", { params: { runId: "nonsense" } }),
      await owner.call("getModel", {
        params: { connectionId: "fal" },
        query: { projectId: owner.projectId, model: "flux" },
      }),
      await owner.call("getRun", { params: { runId: connectionId } }),
    ];
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual(
      answers.map(() => [404, "This does not exist, or you have no access to it."]),
    );
  });

  it("a foreign cursor is refused in words: a fraction, a huge number, text that no database stores", async () => {
    const projectId = owner.projectId;
    const answers = [
      await owner.call("listConversations", { query: { projectId, cursor: toCursor([1.5, "x"]) } }),
      await owner.call("listConversations", {
        query: { projectId, cursor: toCursor([1e300, "x"]) },
      }),
      await owner.call("listConversations", {
        query: { projectId, cursor: toCursor([1, "x\u0000"]) },
      }),
      await owner.call("listAssets", { query: { projectId, cursor: toCursor(["x\u0000"]) } }),
      await owner.call("listRuns", { query: { projectId, cursor: toCursor(["\ud800"]) } }),
      await owner.call("listBatches", { query: { projectId, cursor: toCursor(["\u0000"]) } }),
      await owner.call("listModels", {
        query: { projectId, cursor: toCursor(["a", "b", "\u0000"]) },
      }),
      await owner.call("listPeople", { query: { cursor: toCursor(["Ada", "\u0000"]) } }),
      await owner.call("listPeople", { query: { cursor: toCursor([1, 2]) } }),
    ];
    expect(answers.map((answer) => [answer.status, answer.body.code])).toEqual(
      answers.map(() => [422, "invalid_input"]),
    );
  });

  it("JSON that nests without end or holds millions of values is refused before anything reads it", async () => {
    for (const json of [
      `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
      `[${"1,".repeat(1_000_000)}1]`,
    ]) {
      const response = await instance.request("/api/v1/conversations", {
        method: "POST",
        headers: { cookie: owner.cookie, "content-type": "application/json" },
        body: `{"projectId":"${owner.projectId}","settings":{"x":${json}}}`,
      });
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
        422,
        "invalid_input",
      ]);
    }
  });
});

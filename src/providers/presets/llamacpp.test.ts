import { expect, it, onTestFinished } from "vitest";
import { type LlamaOptions, startLlama } from "../../../test/simulators/llamacpp.ts";
import { buildContext } from "../../../test/support/contracts/attempt.ts";
import { callsOf } from "../../../test/support/contracts/calls.ts";
import { toAdapter } from "./adapter.ts";
import { llamacpp } from "./llamacpp.ts";

const adapter = toAdapter(llamacpp);

async function build(options: LlamaOptions = {}, secret: string | null = options.key ?? null) {
  const server = await startLlama(options);
  onTestFinished(() => server.stop());
  const connection = { kind: "llamacpp", addresses: { api: server.url }, options: {}, secret };
  const { context } = buildContext({
    origin: new URL(server.url).origin,
    connection,
    outbound: { onePost: false },
  });
  return { server, context, ...callsOf(adapter, context) };
}

it("the check refuses a wrong key although the model list is public", async () => {
  const wrong = await build({ key: "right" }, "wrong");
  await expect(adapter.check(wrong.context)).rejects.toMatchObject({ code: "provider_auth" });
  const right = await build({ key: "right" });
  expect(await adapter.check(right.context)).toEqual({ message: "Connected: 1 model." });
});

it("a server that is loading its model says so and is asked again automatically", async () => {
  const { server, context, ask } = await build({ isLoading: true });
  const said = { message: expect.stringMatching(/^The model is still loading at 127\.0\.0\.1/) };
  await expect(adapter.check(context)).rejects.toMatchObject(said);
  expect((await ask()).error).toMatchObject({
    ...said,
    code: "provider_overloaded",
    accepted: "no",
    detail: { overloaded: true },
  });
  server.setLoading(false);
  expect(await adapter.check(context)).toEqual({ message: "Connected: 1 model." });
});

it("a router's models are listed, loaded ones with their contexts, without loading any", async () => {
  const { server, list } = await build({
    isRouter: true,
    models: [
      { id: "a-chat", state: "loaded", contextPerSlot: 4_096, slots: 2, vision: true },
      { id: "b-chat" },
      { id: "c-chat", state: "sleeping", contextPerSlot: 2_048 },
    ],
  });
  const models = await list();
  expect([...models.keys()]).toEqual(["a-chat", "b-chat", "c-chat"]);
  expect(models.get("a-chat")).toMatchObject({
    tasks: ["chat"],
    limits: { contextTokens: 4_096 },
    capabilities: { imageInput: true },
    runsAtOnce: 2,
  });
  // The router's own n_ctx of 0 means no limit is known.
  expect(models.get("b-chat")!.limits).toEqual({});
  expect(server.loaded()).toEqual(["a-chat"]);
  expect(server.requests.filter((call) => call === "GET /slots")).toHaveLength(1);
});

it("a router without readable slots is listed", async () => {
  const { list } = await build({
    isRouter: true,
    hasSlots: false,
    models: [{ id: "a-chat", state: "loaded", contextPerSlot: 4_096 }],
  });
  expect((await list()).get("a-chat")!.limits).toEqual({ contextTokens: 4_096 });
});

it("listing a single server doesn't wake its sleeping model", async () => {
  const { server, list } = await build({ models: [{ id: "sim-chat", state: "sleeping" }] });
  expect((await list()).get("sim-chat")!.limits).toEqual({ contextTokens: 8_192 });
  expect(server.requests).not.toContain("GET /slots");
  expect(server.requests.filter((call) => call.startsWith("POST "))).toEqual([]);
  expect(server.loaded()).toEqual([]);
});

it("a router's loaded models are read, and changed by load and unload", async () => {
  const { server, context } = await build({
    isRouter: true,
    models: [
      { id: "a-chat", state: "loaded" },
      { id: "b-chat" },
      { id: "c-chat", state: "failed" },
    ],
  });
  const local = adapter.local!;
  const states = async () => {
    const { models, acts } = await local.list(context);
    expect(acts).toEqual(["load", "unload"]);
    return models.map(({ model, state }) => `${model} ${state}`);
  };
  expect(await states()).toEqual(["a-chat loaded", "b-chat unloaded", "c-chat failed"]);
  await local.load!("b-chat", context);
  await local.unload!("a-chat", context);
  expect(await states()).toEqual(["a-chat unloaded", "b-chat loaded", "c-chat failed"]);
  expect(server.loaded()).toEqual(["b-chat"]);
  // The models are already in the requested state.
  await local.unload!("a-chat", context);
  await local.load!("b-chat", context);
  expect(server.loaded()).toEqual(["b-chat"]);
  await expect(local.load!("missing", context)).rejects.toMatchObject({ code: "model_gone" });
});

it("a server with one model has nothing to load", async () => {
  const { context } = await build({ models: [{ id: "/srv/models/Qwen3-8B-Q4_K_M.gguf" }] });
  expect(await adapter.local!.list(context)).toEqual({
    models: [
      {
        model: "Qwen3-8B-Q4_K_M",
        name: "Qwen3-8B-Q4_K_M",
        state: "loaded",
        bytes: 4_912_898_304,
      },
    ],
    acts: [],
  });
});

it("a model that the router may not load on demand is reported as not loaded", async () => {
  const { ask } = await build({ isRouter: true, autoload: false });
  expect((await ask()).error).toMatchObject({
    message: expect.stringMatching(/^The model is not loaded at .* Load it under the connection/),
    accepted: "no",
  });
});

it("a server started for embeddings is listed as embedding, and a reranker isn't listed", async () => {
  const tasks = async (serves: "chat" | "embedding" | "rerank", id = "sim") =>
    [...(await (await build({ models: [{ id, serves }] })).list()).values()].map(
      ({ tasks: [task] }) => task,
    );
  expect(await tasks("embedding")).toEqual(["embedding"]);
  expect(await tasks("rerank")).toEqual([]);
  // The server's options take precedence over the model's name.
  expect(await tasks("chat", "minilm-chat")).toEqual(["chat"]);
});

it("a router's unloaded model is classified by its name, and a decision model isn't listed", async () => {
  const { list } = await build({
    isRouter: true,
    models: [
      { id: "nomic-embed-text-v1.5", serves: "embedding" },
      { id: "loaded-vectors", serves: "embedding", state: "loaded" },
      { id: "openjev", gives: "decisions" },
    ],
  });
  expect([...(await list()).values()].map(({ id, tasks }) => [id, ...tasks])).toEqual([
    ["nomic-embed-text-v1.5", "embedding"],
    ["loaded-vectors", "embedding"],
  ]);
});

it("a model is named by its file's stem, and errors never contain the path", async () => {
  const id = "/srv/models/Qwen3-8B-Q4_K_M-00001-of-00003.gguf";
  const { server, list, ask } = await build({ models: [{ id }] });
  const name = "Qwen3-8B-Q4_K_M";
  expect([...(await list()).values()]).toMatchObject([{ id: name, name }]);
  expect(
    (await ask({ model: { id: name, inputSchema: null, capabilities: {} } })).error,
  ).toBeNull();
  const body = (message: string) => ({ error: { code: 500, message, type: "server_error" } });
  for (const message of [
    `failed to load model '${id}'`,
    `failed to load ${id}: no such file`,
    "failed to load 'C:\\My models\\Qwen3-8B-Q4_K_M.gguf'",
  ]) {
    server.script({ fault: { kind: "status", status: 500, body: body(message) } });
    const said = String((await ask()).error);
    expect(said).toMatch(/failed to load (model )?'?Qwen3-8B-Q4_K_M/);
    expect(said).not.toMatch(/srv|My models/);
  }
});

it("its own settings are in the form and sent under its names", async () => {
  const { server, list, ask } = await build();
  const form = (await list()).get("sim-chat")!.inputSchema!.properties as Record<string, object>;
  const own = ["topK", "minP", "repeatPenalty", "frequencyPenalty", "presencePenalty", "grammar"];
  expect(Object.keys(form)).toEqual(expect.arrayContaining(own));
  for (const name of own) expect(form[name]).toMatchObject({ "x-rare": true });
  const input = {
    topK: 20,
    minP: 0.1,
    repeatPenalty: 1.1,
    frequencyPenalty: 0.5,
    presencePenalty: 0,
    grammar: 'root ::= "yes" | "no"',
  };
  expect((await ask({ input, passed: { mirostat: 2, cache_prompt: true } })).error).toBeNull();
  expect(server.posts.at(-1)!.body).toMatchObject({
    top_k: 20,
    min_p: 0.1,
    repeat_penalty: 1.1,
    frequency_penalty: 0.5,
    presence_penalty: 0,
    grammar: input.grammar,
    mirostat: 2,
    cache_prompt: true,
  });
  // A program sends them by their own names.
  const passed = {
    grammar: input.grammar,
    frequency_penalty: 0.5,
    logprobs: true,
    top_logprobs: 2,
  };
  expect((await ask({ passed })).error).toBeNull();
  expect(server.posts.at(-1)!.body).toMatchObject(passed);
  expect(adapter.passes).toEqual(expect.arrayContaining(Object.keys(passed)));
});

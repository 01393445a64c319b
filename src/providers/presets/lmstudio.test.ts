import { expect, it, onTestFinished } from "vitest";
import { startLmStudio } from "../../../test/simulators/lmstudio.ts";
import { buildContext } from "../../../test/support/contracts/attempt.ts";
import { callsOf } from "../../../test/support/contracts/calls.ts";
import { toAdapter } from "./adapter.ts";
import { lmstudio } from "./lmstudio.ts";

const adapter = toAdapter(lmstudio);

async function build(
  options: Parameters<typeof startLmStudio>[0] = {},
  secret: string | null = options.key ?? null,
) {
  const server = await startLmStudio(options);
  onTestFinished(() => server.stop());
  const connection = { kind: "lmstudio", addresses: { api: server.url }, options: {}, secret };
  const { context } = buildContext({
    origin: new URL(server.url).origin,
    connection,
    outbound: { onePost: true },
  });
  return { server, context, ...callsOf(adapter, context) };
}

const models = [
  {
    key: "qwen3-vl",
    vision: true,
    tools: true,
    reasoning: true,
    instances: [{ id: "my-eyes", context: 8_192, parallel: 4 }],
  },
  { key: "sim-chat" },
  { key: "nomic", type: "embedding" as const, maxContext: 2_048 },
];

it("its newer list tells each model's vision, tool use, reasoning and parallel requests, under chat names", async () => {
  const listed = await (await build({ models })).list();
  expect([...listed.keys()]).toEqual(["my-eyes", "sim-chat", "nomic"]);
  expect(listed.get("my-eyes")).toMatchObject({
    name: "Sim qwen3-vl",
    tasks: ["chat"],
    capabilities: { imageInput: true, tools: true, reasoning: true },
    limits: { contextTokens: 8_192 },
    runsAtOnce: 4,
  });
  expect(listed.get("sim-chat")).toMatchObject({
    capabilities: { imageInput: false, tools: false, reasoning: false },
    limits: { contextTokens: 131_072 },
  });
  expect(listed.get("nomic")).toMatchObject({ tasks: ["embedding"] });
});

it("an older server, which answers 200 to unknown paths, is read as before", async () => {
  const { list, context } = await build({ models, isOld: true });
  expect((await list()).get("my-eyes")).toMatchObject({
    capabilities: { imageInput: true },
    limits: { contextTokens: 8_192 },
  });
  expect(await adapter.local!.list(context)).toMatchObject({
    models: [{ state: "loaded" }, { state: "unloaded" }, { state: "unloaded" }],
    acts: [],
  });
});

it("models are loaded and unloaded, every instance of a model", async () => {
  const { server, context } = await build({
    models: [
      {
        key: "twice",
        instances: [
          { id: "a", context: 1 },
          { id: "b", context: 2 },
        ],
      },
      { key: "other" },
    ],
  });
  await adapter.local!.load!("other", context);
  expect(server.loaded()).toEqual(["a", "b", "other"]);
  await adapter.local!.unload!("twice", context);
  expect(server.loaded()).toEqual(["other"]);
  expect((await adapter.local!.list(context)).models).toMatchObject([
    { model: "twice", state: "unloaded" },
    { model: "other", state: "loaded" },
  ]);
  await expect(adapter.local!.load!("missing", context)).rejects.toMatchObject({
    message: expect.stringMatching(/Model not found: missing/),
  });
});

it("a wrong token is refused as a wrong key", async () => {
  const { context } = await build({ key: "right" }, "wrong");
  await expect(adapter.check(context)).rejects.toMatchObject({ code: "provider_auth" });
});

it("JSON of any shape is requested by a schema, the only form it supports", async () => {
  const { server, ask } = await build();
  const schema = { type: "object" };
  const { error } = await ask({ answerShape: { name: "any", schema, isAnyObject: true } });
  expect(error).toBeNull();
  expect(server.posts.at(-1)!.body).toMatchObject({
    response_format: { type: "json_schema", json_schema: { name: "any", schema } },
  });
});

it("a model that was unloaded meanwhile is reported as not loaded", async () => {
  const { server, ask } = await build();
  const body = { error: { message: "Model unloaded." } };
  server.script({ fault: { kind: "status", status: 400, body } });
  expect((await ask()).error).toMatchObject({
    message: expect.stringMatching(/^The model is not loaded at/),
  });
});

it("its own settings are in the form and sent under its names", async () => {
  const { server, list, ask } = await build();
  const form = (await list()).get("sim-chat")!.inputSchema!.properties as Record<string, object>;
  expect(form.repeatPenalty).toMatchObject({ "x-rare": true });
  expect((await ask({ input: { topK: 20, presencePenalty: 0.5 } })).error).toBeNull();
  expect(server.posts.at(-1)!.body).toMatchObject({ top_k: 20, presence_penalty: 0.5 });
});

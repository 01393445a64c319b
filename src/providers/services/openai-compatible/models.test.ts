import { expect, it } from "vitest";
import type { Json } from "#contract/json.ts";
import { buildAttempt } from "../../../../test/support/services/openai-compatible.ts";
import { openaiCompatible } from "./adapter.ts";
import type { ListedModel } from "./model-facts.ts";
import { readStatedModels } from "./models.ts";

async function list(models: unknown[], option: Json = null): Promise<ListedModel[]> {
  const { context } = await buildAttempt({
    simulator: { models },
    connection: { options: { models: option } },
  });
  const pages: ListedModel[][] = [];
  for await (const page of openaiCompatible.models(context)) pages.push(page as ListedModel[]);
  return pages.flat();
}

it("a model without stated facts is classified by its name, or else as chat", async () => {
  const listed = await list([
    { id: "dall-e-3" },
    { id: "whisper-1" },
    { id: "gpt-4-vision" },
    { id: "bge-reranker-v2-m3" },
  ]);
  expect(listed.map((model) => [model.id, model.tasks, model.capabilities])).toEqual([
    ["dall-e-3", ["image"], {}],
    ["whisper-1", ["transcription"], {}],
    ["gpt-4-vision", ["chat"], {}],
  ]);
});

it("a server that lists 200,000 models is refused with a sentence", async () => {
  const models = Array.from({ length: 200_000 }, (_, i) => ({ id: `m${i}` }));
  await expect(list(models)).rejects.toMatchObject({
    code: "provider_protocol",
    message: /sent too much to read.*more than 200,000 values/,
  });
});

it("a model's task from the server or an admin overrides its name", async () => {
  const rows = [
    { id: "my-embed-chat", type: "llm" },
    { id: "flux-writer", architecture: { output_modalities: ["text"] } },
    { id: "whisper-poet" },
  ];
  const listed = await list(rows, JSON.stringify([{ id: "whisper-poet", task: "chat" }]));
  expect(listed.flatMap(({ tasks }) => tasks)).toEqual(["chat", "chat", "chat"]);
});

it("a row that says its model doesn't chat is no chat model, whatever its name", async () => {
  const listed = await list([
    { id: "plain", type: "moderation" },
    { id: "plainer", type: "video" },
    { id: "plainest", capabilities: { completion_chat: false } },
    { id: "plain-embed", capabilities: { completion_chat: false } },
    { id: "accounts/fireworks/models/plain", supports_chat: false },
    { id: "sings", architecture: { output_modalities: ["audio"] } },
    { id: "meta-llama/llama-guard-4-12b", architecture: { output_modalities: ["text"] } },
    { id: "Llama-Guard-3-8B", type: "llm" },
  ]);
  expect(listed.map(({ id, tasks }) => [id, tasks])).toEqual([["plain-embed", ["embedding"]]]);
});

it("a model named by its file path is shown by the file's stem", async () => {
  const ids = [
    "/models/unsloth/Qwen3-8B-Q4_K_M.gguf",
    "C:\\llm\\nomic-embed-text-v1.5.Q8_0.gguf",
    "/m/GLM-4.6-00001-of-00003.gguf",
  ];
  const listed = await list(ids.map((id) => ({ id })));
  expect(listed.map(({ id, name }) => [id, name])).toEqual([
    [ids[0], "Qwen3-8B-Q4_K_M"],
    [ids[1], "nomic-embed-text-v1.5.Q8_0"],
    [ids[2], "GLM-4.6"],
  ]);
});

it("created is never taken as a release date", async () => {
  const [model] = await list([{ id: "served", created: 1_790_000_000 }]);
  expect(model).not.toHaveProperty("releasedAt");
});

it("OpenRouter's facts are read: context, modalities, parameters and prices to the last digit", async () => {
  const [model] = await list([
    {
      id: "vendor/model",
      name: "Vendor: Model",
      description: "Long words.",
      context_length: 200_000,
      architecture: { input_modalities: ["text", "image", "file"], output_modalities: ["text"] },
      top_provider: { max_completion_tokens: 4_096 },
      supported_parameters: ["tools", "reasoning", "max_tokens"],
      pricing: { prompt: "0.00000125", completion: "0.00001", image: "0", request: "0" },
    },
  ]);
  expect(model).toMatchObject({
    name: "Vendor: Model",
    description: "Long words.",
    limits: { contextTokens: 200_000, outputTokens: 4_096 },
    inputModalities: ["text", "image", "file"],
    capabilities: { imageInput: true, pdfInput: true, tools: true, reasoning: true, seed: false },
    status: "active",
  });
  expect(model!.prices.map(({ unit, micros }) => [unit, micros])).toEqual([
    ["input token", "1.25"],
    ["output token", "10"],
  ]);
  expect(model!.inputSchema).toMatchObject({ properties: { maxOutputTokens: { maximum: 4_096 } } });
  expect(model!.inputSchema!.properties).not.toHaveProperty("seed");
});

it.each([
  [{ id: "a", max_model_len: 8_192 }, { limits: { contextTokens: 8_192 } }],
  [{ id: "a", context_window: 131_072 }, { limits: { contextTokens: 131_072 } }],
  [{ id: "a", meta: { n_ctx_train: 4_096 } }, { limits: { contextTokens: 4_096 } }],
  [{ id: "a", type: "embeddings" }, { tasks: ["embedding"] }],
  [
    { id: "a", type: "vlm" },
    { tasks: ["chat"], capabilities: { imageInput: true } },
  ],
  [
    { id: "a", task: "automatic-speech-recognition" },
    { tasks: ["transcription"], inputModalities: ["audio"] },
  ],
  [
    { id: "a", task: "text-to-speech" },
    { tasks: ["speech"], outputModalities: ["audio"] },
  ],
  [{ id: "a", type: "image" }, { tasks: ["image"] }],
  [
    { id: "a", capabilities: { vision: true, function_calling: false } },
    { capabilities: { imageInput: true, tools: false } },
  ],
  [{ id: "a", deprecation: "2026-01-01" }, { status: "deprecated" }],
])("a row %j is read as stated", async (row, facts) => {
  expect((await list([row]))[0]).toMatchObject(facts);
});

it("models named by an admin are added and correct the server's list", async () => {
  const option = [
    { id: "sim-chat", task: "image" },
    { id: "tts-1", task: "speech", name: "Voice" },
    { id: "see", task: "chat", capabilities: { pdfInput: true } },
  ];
  const listed = await list([{ id: "sim-chat" }, { id: "other" }], JSON.stringify(option));
  expect(listed.map((model) => [model.id, model.name, model.tasks])).toEqual([
    ["sim-chat", "sim-chat", ["image"]],
    ["other", "other", ["chat"]],
    ["tts-1", "Voice", ["speech"]],
    ["see", "see", ["chat"]],
  ]);
  expect(listed[3]!.capabilities).toEqual({ pdfInput: true });
});

it("two hundred models are a page", async () => {
  const models = Array.from({ length: 450 }, (_, index) => ({ id: `m${index}` }));
  const { context } = await buildAttempt({ simulator: { models } });
  const sizes: number[] = [];
  for await (const page of openaiCompatible.models(context)) sizes.push(page.length);
  expect(sizes).toEqual([200, 200, 50]);
});

it.each(["{", "{}", '[{"id": "a"}]', '[{"task": "chat"}]', '[{"id": "a", "task": "video"}]'])(
  "the option %s is refused with the reason",
  (option) => {
    expect(() => readStatedModels(option)).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        detail: expect.objectContaining({ field: "options.models" }),
      }),
    );
  },
);

it("every form's fields have a title and an explicit order", async () => {
  const option = openaiCompatible.tasks.map((task) => ({ id: task, task }));
  for (const model of await list([], option)) {
    const fields = Object.values(
      model.inputSchema!.properties as Record<string, Record<string, unknown>>,
    );
    expect(fields.every((field) => typeof field.title === "string")).toBe(true);
    expect(fields.map((field) => field["x-order"])).toEqual(fields.map((_, index) => index));
  }
});

it("a check counts the models, with one GET and no POST", async () => {
  const { simulator, context } = await buildAttempt();
  expect(await openaiCompatible.check(context)).toEqual({ message: "Connected: 2 models." });
  expect(simulator.posts).toEqual([]);
});

it("an address without /v1 is refused with the working one", async () => {
  const { context, simulator } = await buildAttempt();
  const { api } = context.connection.addresses;
  expect(api).toMatch(/\/v1$/);
  const checked = (address: string) =>
    openaiCompatible.check({
      ...context,
      connection: { ...context.connection, addresses: { api: address } },
    });
  await expect(checked(api!.replace(/\/v1$/, ""))).rejects.toMatchObject({
    code: "provider_protocol",
    aside: `The API answers at ${api}. Use that address.`,
  });
  await expect(checked(`${simulator.url}/elsewhere`)).rejects.toMatchObject({ aside: null });
});

it("a wrong key is provider_auth; an address without the API, a web page and a silent server are distinguished", async () => {
  const wrongKey = await buildAttempt({ connection: { secret: "canary" } });
  await expect(openaiCompatible.check(wrongKey.context)).rejects.toMatchObject({
    code: "provider_auth",
  });
  const { context, simulator } = await buildAttempt();
  const elsewhere = {
    ...context,
    connection: { ...context.connection, addresses: { api: `${simulator.url}/v2` } },
  };
  await expect(openaiCompatible.check(elsewhere)).rejects.toMatchObject({
    code: "provider_protocol",
    accepted: "no",
  });
  const page = await buildAttempt({ simulator: { models: "<!doctype html><p>A page." } });
  await expect(openaiCompatible.check(page.context)).rejects.toMatchObject({
    code: "provider_protocol",
  });
  await simulator.stop();
  await expect(openaiCompatible.check(context)).rejects.toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
});

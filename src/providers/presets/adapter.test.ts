import { expect, it, onTestFinished } from "vitest";
import { startOpenAiCompatible } from "../../../test/simulators/openai-compatible.ts";
import { services } from "../../../test/simulators/presets.ts";
import { buildContext, buildFile } from "../../../test/support/contracts/attempt.ts";
import { callsOf } from "../../../test/support/contracts/calls.ts";
import type { OpenConnection } from "../adapter.ts";
import { toAdapter } from "./adapter.ts";
import { presetKinds, presets } from "./index.ts";

async function build(
  kind: string,
  options: { connection?: Partial<OpenConnection>; onePost?: boolean } = {},
) {
  const adapter = toAdapter(presets.find((known) => known.kind === kind)!);
  const simulator = await startOpenAiCompatible(services[kind]);
  onTestFinished(() => simulator.stop());
  const connection = {
    kind,
    addresses: { api: simulator.url },
    options: {},
    secret: simulator.key || null,
    ...options.connection,
  };
  const { context, warnings } = buildContext({
    origin: new URL(simulator.url).origin,
    connection,
    outbound: { onePost: options.onePost ?? true },
  });
  const sent = () => simulator.posts.at(-1)!.body as Record<string, unknown>;
  return { adapter, simulator, context, warnings, sent, ...callsOf(adapter, context) };
}
const model = (id: string, capabilities = {}) => ({ id, inputSchema: null, capabilities });
const raw = (chunks: object[]) => ({
  fault: {
    kind: "raw" as const,
    body: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""),
  },
});

it("each preset has its own name and page, and needs only a key or an address", () => {
  const kinds = presetKinds.map(({ kind }) => kind);
  expect(new Set(kinds).size).toBe(14);
  for (const { fields, free, addresses } of presetKinds) {
    const needed = fields
      .filter(({ required, advanced }) => required && !advanced)
      .map(({ name }) => name);
    expect(needed).toEqual(free ? [] : addresses.api!.startsWith("https://") ? ["key"] : ["api"]);
    expect(fields.find(({ kind }) => kind === "secret")!.hint).toBeTruthy();
  }
});

it("OpenRouter: routing, its own cost, and reasoning from its own field", async () => {
  const options = {
    providerOrder: "anthropic, google-vertex",
    fallbacks: "not allowed",
    zeroRetention: "required",
  };
  const { simulator, ask, sent } = await build("openrouter", { connection: { options } });
  simulator.script({ usage: { prompt_tokens: 5, completion_tokens: 3, cost: 0.000123 } });
  const { finish } = await ask({ input: { maxOutputTokens: 50, reasoningEffort: "high" } });
  expect(finish).toMatchObject({ costMicros: 123 });
  expect(sent()).toMatchObject({
    usage: { include: true },
    reasoning: { effort: "high" },
    provider: { order: ["anthropic", "google-vertex"], allow_fallbacks: false, zdr: true },
  });
  const plain = await build("openrouter");
  await plain.ask({ input: { reasoningEffort: "none" } });
  expect(plain.sent()).toMatchObject({ reasoning: { enabled: false } });
  expect(plain.sent()).not.toHaveProperty("provider");
});

it.each([
  ["openrouter", { reasoning: { max_tokens: 2_000 }, top_a: 0.1 }, ["models", "provider"]],
  [
    "perplexity",
    { search_domain_filter: ["example.org"], search_mode: "academic" },
    ["web_search_options", "service_tier"],
  ],
  ["deepseek", { thinking: { type: "disabled" } }, ["service_tier"]],
])(
  "%s: its own parameters are passed, except those that change the price",
  async (kind, own, priced) => {
    const { adapter, ask, sent } = await build(kind);
    for (const name of Object.keys(own)) expect(adapter.passes).toContain(name);
    for (const name of priced) expect(adapter.passes).not.toContain(name);
    await ask({ passed: own });
    expect(sent()).toMatchObject(own);
  },
);

it("OpenRouter: the check detects a wrong key although the list is public, and picture models are asked for pictures", async () => {
  const wrong = await build("openrouter", { connection: { secret: "sk-or-wrong" } });
  await expect(wrong.adapter.check(wrong.context)).rejects.toMatchObject({ code: "provider_auth" });
  const { simulator, ask, list, sent } = await build("openrouter");
  const models = await list();
  expect(models.get("sim/chat")!.prices!.map(({ unit, micros }) => [unit, micros])).toEqual([
    ["input token", "3"],
    ["output token", "15"],
  ]);
  expect(models.get("sim/chat")!.releasedAt).toBe(1_790_000_000_000);
  const draws = models.get("sim/pictures")!;
  expect(draws.capabilities.imageOutput).toBe(true);
  const picture = { type: "image_url", image_url: { url: "data:image/png;base64,aWNvbg==" } };
  simulator.script(
    raw([
      { choices: [{ delta: { content: "Here.", images: [picture] } }] },
      { choices: [{ delta: {}, finish_reason: "stop" }] },
    ]),
  );
  expect((await ask({ model: model(draws.id, draws.capabilities) })).files).toMatchObject([
    { mime: "image/png" },
  ]);
  expect(sent().modalities).toEqual(["image", "text"]);
});

it("OpenRouter: a passed-on refusal is reported in the original provider's words", async () => {
  const { simulator, ask } = await build("openrouter");
  const said = async (raw: string) => {
    const body = {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: { raw, provider_name: "Chutes" },
      },
    };
    simulator.script({ fault: { kind: "status", status: 400, body } });
    return String((await ask()).error);
  };
  const other = await build("openrouter");
  expect(await said('{"detail":"Invalid request: schema_ is required"}')).toMatch(
    /says: Provider returned error: Invalid request: schema_ is required \(Chutes\)$/,
  );
  other.simulator.script({
    fault: {
      kind: "status",
      status: 400,
      body: { error: { message: "Provider returned error", metadata: { raw: "upstream error" } } },
    },
  });
  expect(String((await other.ask()).error)).toMatch(
    /says: Provider returned error: upstream error$/,
  );
});

it("Mistral: its own names for seed, documents and transcripts, and only models with a task", async () => {
  const { ask, sent, list } = await build("mistral", { onePost: false });
  const file = buildFile("a.pdf", "application/pdf", "%PDF");
  const turns = [
    {
      role: "user" as const,
      parts: [
        { type: "text" as const, text: "read" },
        { type: "file" as const, file },
      ],
    },
  ];
  expect(
    (await ask({ model: model("sim-chat", { pdfInput: true }), turns, input: { seed: 7 } })).error,
  ).toBeNull();
  expect(sent()).toMatchObject({ random_seed: 7 });
  expect(JSON.stringify(sent().messages)).toContain('"document_url"');
  const recording = buildFile("a.wav", "audio/wav", "x");
  const files = new Map([["a.wav", recording]]);
  const heard = await ask({
    task: "transcription",
    model: model("voxtral-sim"),
    turns: [],
    input: { file: "asset:a.wav", language: "it" },
    files,
  });
  expect(heard.error).toBeNull();
  expect(Object.keys(sent()).toSorted()).toEqual(["file", "language", "model"]);
  expect(
    [...(await list()).values()].map(({ id, tasks, limits }) => [
      id,
      tasks[0],
      limits.contextTokens,
    ]),
  ).toEqual([
    ["sim-chat", "chat", 128_000],
    ["voxtral-sim", "transcription", undefined],
    ["mistral-embed", "embedding", undefined],
  ]);
});

it("Groq: its own usage fields, speech and transcripts by documented IDs", async () => {
  const { simulator, ask, list } = await build("groq");
  simulator.script(
    raw([
      { choices: [{ delta: { content: "a" } }] },
      {
        choices: [{ delta: {}, finish_reason: "stop" }],
        x_groq: { usage: { prompt_tokens: 9, completion_tokens: 1 } },
      },
    ]),
  );
  expect((await ask()).finish).toMatchObject({ usage: { inputTokens: 9, outputTokens: 1 } });
  const models = await list();
  expect(models.get("sim-chat")!.limits).toEqual({ contextTokens: 131_072, outputTokens: 32_768 });
  expect([models.get("whisper-large-v3-turbo")!.tasks, models.get("playai-tts")!.tasks]).toEqual([
    ["transcription"],
    ["speech"],
  ]);
});

it("xAI: a picture by its aspect ratio, as bytes", async () => {
  const { ask, sent, list } = await build("xai");
  const { files, error } = await ask({
    task: "image",
    model: model("grok-2-image"),
    turns: [],
    input: { prompt: "a fox", n: 2, aspect_ratio: "16:9" },
  });
  expect(error).toBeNull();
  expect(files).toHaveLength(2);
  expect(sent()).toEqual({
    model: "grok-2-image",
    prompt: "a fox",
    n: 2,
    aspect_ratio: "16:9",
    response_format: "b64_json",
  });
  const form = (await list()).get("grok-2-image")!.inputSchema!;
  expect(Object.keys(form.properties as object)).toEqual(["prompt", "n", "aspect_ratio"]);
});

it("DeepSeek: a schema goes into the prompt with a warning, and cached tokens are counted", async () => {
  const { simulator, ask, sent, warnings } = await build("deepseek");
  simulator.script({
    usage: { prompt_tokens: 90, completion_tokens: 2, prompt_cache_hit_tokens: 64 },
  });
  const { finish } = await ask({
    answerShape: {
      name: "place",
      schema: { type: "object", properties: { place: { type: "string" } } },
    },
  });
  expect(finish).toMatchObject({ usage: { inputTokens: 90, cachedInputTokens: 64 } });
  expect(sent().response_format).toEqual({ type: "json_object" });
  expect(JSON.stringify(sent().messages)).toMatch(/JSON Schema.*place/);
  expect(warnings).toMatchObject([{ feature: "answerShape" }]);
});

it("Together: prices per million tokens, pictures by width and height", async () => {
  const { ask, sent, list } = await build("together");
  const models = await list();
  expect(models.get("sim-chat")!.prices!.map(({ unit, micros }) => [unit, micros])).toEqual([
    ["input token", "0.6"],
    ["output token", "1.2"],
  ]);
  expect(models.get("black-forest-labs/FLUX.1-schnell")!.tasks).toEqual(["image"]);
  const input = { prompt: "a fox", size: "512x768", steps: 4, n: 1 };
  expect((await ask({ task: "image", model: model("flux"), turns: [], input })).error).toBeNull();
  expect(sent()).toEqual({
    model: "flux",
    prompt: "a fox",
    width: 512,
    height: 768,
    steps: 4,
    n: 1,
    response_format: "base64",
  });
});

it("Fireworks: model facts from its list", async () => {
  const { list } = await build("fireworks");
  expect((await list()).get("sim-chat")).toMatchObject({
    capabilities: { imageInput: true, tools: true },
    limits: { contextTokens: 131_072 },
  });
});

it("Perplexity: documented models, sources with titles, and its stated cost", async () => {
  const { simulator, ask, list } = await build("perplexity");
  expect([...(await list()).keys()]).toContain("sonar-pro");
  simulator.script(
    raw([
      {
        citations: ["https://a.test"],
        search_results: [{ title: "A", url: "https://a.test" }],
        choices: [{ delta: { content: "x" }, finish_reason: "stop" }],
        usage: {
          prompt_tokens: 1,
          completion_tokens: 1,
          cost: { input_tokens_cost: 0.000001, request_cost: 0.006, total_cost: 0.006001 },
        },
      },
    ]),
  );
  const { parts, finish } = await ask({ model: model("sonar") });
  expect(parts.filter(({ type }) => type === "source")).toEqual([
    { type: "source", title: "A", url: "https://a.test" },
  ]);
  expect(finish).toMatchObject({ costMicros: 6_001 });
});

it("LiteLLM: the gateway's facts, prices and counted cost", async () => {
  const { ask, list } = await build("litellm");
  const models = await list();
  expect(models.get("sim-chat")).toMatchObject({
    limits: { contextTokens: 128_000, outputTokens: 16_384 },
    capabilities: { imageInput: true, tools: true },
    prices: [
      { unit: "input token", micros: "2.5" },
      { unit: "output token", micros: "10" },
    ],
  });
  expect([...models.keys()]).toEqual(["sim-chat", "not-told"]);
  expect((await ask()).finish).toMatchObject({ costMicros: 420 });
});

it("LM Studio: kinds and contexts from its own list, as each model was loaded", async () => {
  const models = await (await build("lmstudio")).list();
  expect(models.get("sim-chat")).toMatchObject({
    tasks: ["chat"],
    limits: { contextTokens: 8_192 },
    capabilities: { imageInput: true, tools: true },
  });
  expect(models.get("embed")!.tasks).toEqual(["embedding"]);
});

it("llama.cpp: the context of one slot, vision, and a grammar that an answer follows", async () => {
  const { ask, sent, list } = await build("llamacpp");
  const facts = (await list()).get("sim-chat")!;
  expect(facts).toMatchObject({
    limits: { contextTokens: 8_192 },
    capabilities: { imageInput: true },
    description: "Answers 4 questions at once.",
    runsAtOnce: 4,
  });
  expect(facts.inputSchema).toMatchObject({ properties: { grammar: {} } });
  expect((await ask({ input: { grammar: 'root ::= "yes" | "no"' } })).error).toBeNull();
  expect(sent().grammar).toBe('root ::= "yes" | "no"');
});

it("a server without extended facts is read by the common ones", async () => {
  const { adapter, simulator, context } = await build("llamacpp");
  await simulator.stop();
  const bare = await startOpenAiCompatible({
    key: null,
    models: [{ id: "sim-chat", meta: { n_ctx_train: 4_096 } }],
  });
  onTestFinished(() => bare.stop());
  const elsewhere = buildContext({
    origin: new URL(bare.url).origin,
    connection: { ...context.connection, addresses: { api: bare.url } },
  });
  for await (const page of adapter.models(elsewhere.context))
    expect(page).toMatchObject([{ id: "sim-chat", limits: { contextTokens: 4_096 } }]);
});

it("a model whose task has no endpoint at the service isn't listed", async () => {
  const { adapter, context } = await build("deepseek");
  const bare = await startOpenAiCompatible({
    key: null,
    models: [{ id: "deepseek-chat" }, { id: "flux-1-schnell" }, { id: "whisper-v3" }],
  });
  onTestFinished(() => bare.stop());
  const elsewhere = buildContext({
    origin: new URL(bare.url).origin,
    connection: { ...context.connection, addresses: { api: bare.url } },
  });
  for await (const page of adapter.models(elsewhere.context))
    expect(page.map(({ id }) => id)).toEqual(["deepseek-chat"]);
});

it("vLLM: the context length that its server was started with", async () => {
  expect((await (await build("vllm")).list()).get("sim-chat")!.limits).toEqual({
    contextTokens: 16_384,
  });
});

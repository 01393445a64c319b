import { expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { pixel } from "../../../../test/simulators/bedrock/invoke.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
  collect,
} from "../../../../test/support/contracts/attempt.ts";
import { startBedrockWithBucket } from "../../../../test/support/services/bedrock.ts";
import type { ChatTurn, ModelFacts, RunRequest } from "../../adapter.ts";
import { bedrock } from "./adapter.ts";

async function build(
  given: { options?: JsonObject; secret?: string; sessionToken?: string; mostPosts?: number } = {},
) {
  const started = await startBedrockWithBucket({
    ...(given.sessionToken !== undefined && { sessionToken: given.sessionToken }),
  });
  const connection = {
    ...started.connection,
    options: { ...started.connection.options, ...given.options },
    ...(given.secret !== undefined && { secret: given.secret }),
  };
  const { context, warnings } = buildContext({
    origin: started.bedrock.url,
    connection,
    outbound: {
      privateOrigins: started.origins,
      ...(given.mostPosts !== undefined && { mostPosts: given.mostPosts }),
    },
  });
  const ask = (request: Partial<RunRequest> & { id?: string }) => {
    const model = {
      id: request.id ?? "eu.anthropic.claude-sonnet-9-v1:0",
      inputSchema: null,
      capabilities: { imageInput: true, pdfInput: true },
    };
    return collect(bedrock.answer!(buildRequest({ model, ...request }), context));
  };
  const paint = (id: string, input: JsonObject) => {
    const files = new Map([
      ["photo", buildFile("photo.png", "image/png", Buffer.from(pixel, "base64"))],
    ]);
    return ask({ id, task: "image", input, files });
  };
  return { ...started, context, warnings, ask, paint };
}

const asks = (...parts: ChatTurn["parts"]): ChatTurn[] => [
  { role: "system", parts: [{ type: "text", text: "Be brief." }] },
  { role: "user", parts },
];
const pdf = (name: string) => ({
  type: "file" as const,
  file: buildFile(name, "application/pdf", "%PDF-1.4"),
});

it("on-demand models and their profiles are listed to the last page, each with its task", async () => {
  const { context } = await build();
  const models = new Map<string, ModelFacts>();
  for await (const page of bedrock.models(context))
    for (const facts of page) models.set(facts.id, facts);
  expect(Object.fromEntries([...models].map(([id, { tasks }]) => [id, tasks.join()]))).toEqual({
    "anthropic.claude-3-7-sonnet-20250219-v1:0": "chat",
    "amazon.nova-pro-v1:0": "chat",
    "mistral.mistral-7b-instruct-v0:2": "chat",
    "amazon.nova-canvas-v1:0": "image,edit",
    "stability.stable-image-core-v1:1": "image",
    "somebody.new-painter-v1:0": "image",
    "amazon.nova-reel-v1:1": "video",
    "luma.ray-v2:0": "video",
    "amazon.titan-embed-text-v2:0": "embedding",
    "cohere.embed-english-v3": "embedding",
    "eu.anthropic.claude-sonnet-9-v1:0": "chat",
    "eu.amazon.nova-pro-v1:0": "chat",
    "arn:aws:bedrock:eu-test-1:123456789012:application-inference-profile/abcdef123456": "chat",
  });
  expect(models.get("anthropic.claude-3-7-sonnet-20250219-v1:0")!.status).toBe("deprecated");
  expect(models.get("eu.anthropic.claude-sonnet-9-v1:0")!.capabilities).toMatchObject({
    imageInput: true,
    pdfInput: true,
  });
  expect(models.get("mistral.mistral-7b-instruct-v0:2")!.capabilities).toMatchObject({
    imageInput: false,
  });
  expect(models.get("somebody.new-painter-v1:0")!.inputSchema).toBeNull();
});

it("an account's own profile is called by its ARN", async () => {
  const { bedrock: simulator, ask } = await build();
  const id = "arn:aws:bedrock:eu-test-1:123456789012:application-inference-profile/abcdef123456";
  expect(await ask({ id })).toMatchObject({ error: null, text: "You said: hello there" });
  expect(simulator.posts[0]!.path).toBe(`/model/${encodeURIComponent(id)}/converse-stream`);
});

it("an API key is sent unchanged, and a temporary key with its session token", async () => {
  const first = await build({
    options: { signIn: "API key" },
    secret: JSON.stringify({ apiKey: "bedrock-api-key-of-the-simulator" }),
  });
  expect(await first.ask({})).toMatchObject({ error: null });
  const second = await build({ sessionToken: "session-token-of-an-hour" });
  expect(await second.ask({})).toMatchObject({ error: null });
  expect(second.bedrock.posts[0]!.headers["x-amz-security-token"]).toBe("session-token-of-an-hour");
});

it("a refusal contains no part of the key, although AWS prints the session token", async () => {
  const secret = JSON.stringify({
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "a-wrong-key-of-somebody",
    sessionToken: "session-token-of-an-hour",
  });
  const { ask } = await build({ sessionToken: "session-token-of-an-hour", secret });
  const { error } = await ask({});
  expect(error).toMatchObject({ code: "provider_auth", accepted: "no" });
  const said = JSON.stringify([(error as Error).message, (error as { detail?: unknown }).detail]);
  expect(said).toContain("x-amz-security-token");
  for (const part of ["session-token-of-an-hour", "a-wrong-key-of-somebody"])
    expect(said).not.toContain(part);
});

it("a connection's guardrail is sent with every chat, and its blocks end as content_filter", async () => {
  const { bedrock: simulator, ask } = await build({
    options: { guardrail: "gr12345", guardrailVersion: "2" },
  });
  simulator.script({ text: ["I can't help with that."], finishReason: "guardrail_intervened" });
  expect(await ask({})).toMatchObject({
    error: null,
    text: "I can't help with that.",
    finish: { reason: "content-filter" },
  });
  expect(simulator.posts[0]!.body).toMatchObject({
    guardrailConfig: { guardrailIdentifier: "gr12345", guardrailVersion: "2" },
  });
});

it("cache points follow the system prompt and the last question, if the model supports them", async () => {
  const { bedrock: simulator, ask } = await build();
  await ask({ turns: asks({ type: "text", text: "hello" }) });
  const cachePoint = { cachePoint: { type: "default" } };
  expect(simulator.posts[0]!.body).toMatchObject({
    system: [{ text: "Be brief." }, cachePoint],
    messages: [{ content: [{ text: "hello" }, cachePoint] }],
  });
  const other = await build();
  await other.ask({
    id: "mistral.mistral-7b-instruct-v0:2",
    turns: asks({ type: "text", text: "hello" }),
  });
  expect(JSON.stringify(other.bedrock.posts[0]!.body)).not.toContain("cachePoint");
});

it("documents with equal names get unique names, and a single one gets text with it", async () => {
  const { bedrock: simulator, ask } = await build();
  expect(await ask({ turns: asks(pdf("Übersicht_1.pdf"), pdf("Übersicht_1.pdf")) })).toMatchObject({
    error: null,
  });
  const names = JSON.stringify(simulator.posts[0]!.body).match(/"name":"[^"]*"/g);
  expect(new Set(names).size).toBe(2);
});

it("the length limit includes reasoning, which is left out if there is no room", async () => {
  const claude = "anthropic.claude-3-7-sonnet-20250219-v1:0";
  const wide = await build();
  expect(
    await wide.ask({ id: claude, input: { maxOutputTokens: 2_000, reasoningEffort: "high" } }),
  ).toMatchObject({ error: null });
  expect(wide.bedrock.posts[0]!.body).toMatchObject({
    inferenceConfig: { maxTokens: 2_000 },
    additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1_600 } },
  });
  const narrow = await build();
  expect(
    await narrow.ask({ id: claude, input: { maxOutputTokens: 800, reasoningEffort: "high" } }),
  ).toMatchObject({ error: null });
  expect(narrow.bedrock.posts[0]!.body).toMatchObject({ inferenceConfig: { maxTokens: 800 } });
  expect(JSON.stringify(narrow.bedrock.posts[0]!.body)).not.toContain("budget_tokens");
  expect(narrow.warnings).toMatchObject([{ type: "unsupported", feature: "reasoningEffort" }]);
});

it.each([
  [
    "amazon.nova-canvas-v1:0",
    {
      prompt: "a boat",
      size: "1280x720",
      n: 2,
      seed: 1,
      quality: "premium",
      negativePrompt: "rain",
    },
    2,
  ],
  [
    "amazon.nova-canvas-v1:0",
    { prompt: "more", images: ["asset:photo"], similarityStrength: 0.5 },
    1,
  ],
  [
    "amazon.nova-canvas-v1:0",
    { prompt: "a hat", images: ["asset:photo"], maskPrompt: "the head" },
    1,
  ],
  ["amazon.nova-canvas-v1:0", { prompt: "a hat", images: ["asset:photo"], mask: "asset:photo" }, 1],
  [
    "stability.stable-image-core-v1:1",
    {
      prompt: "a boat",
      aspectRatio: "16:9",
      seed: 7,
      outputFormat: "jpeg",
      negativePrompt: "rain",
    },
    1,
  ],
  [
    "stability.stable-image-core-v1:1",
    { prompt: "a boat", image: "asset:photo", strength: 0.7 },
    1,
  ],
  ["somebody.new-painter-v1:0", { words: "a boat" }, 1],
] as const)("%s paints %o with its own API", async (id, input, count) => {
  const { bedrock: simulator, paint } = await build();
  const answer = await paint(id, { ...input } as JsonObject);
  expect(answer).toMatchObject({
    error: null,
    finish: { reason: "stop", usage: { units: { images: String(count) } } },
  });
  expect(answer.files.map(({ bytes }) => bytes?.toString("base64"))).toEqual(
    Array.from({ length: count }, () => pixel),
  );
  expect(simulator.posts).toMatchObject([{ state: "answered" }]);
});

it("a picture blocked by a filter is refused content, and one blocked of several is a note", async () => {
  for (const id of ["amazon.nova-canvas-v1:0", "stability.stable-image-core-v1:1"]) {
    const { bedrock: simulator, paint } = await build();
    simulator.script({ text: "Filter reason: prompt" });
    expect((await paint(id, { prompt: "no" })).error).toMatchObject({
      code: "provider_rejected",
      accepted: "yes",
    });
  }
  const { bedrock: simulator, paint, warnings } = await build();
  simulator.script({ text: "Some were held back." });
  const answer = await paint("amazon.nova-canvas-v1:0", { prompt: "two", n: 2 });
  expect(answer).toMatchObject({ error: null, files: [{}], finish: { reason: "content-filter" } });
  expect(warnings).toMatchObject([{ message: "Some were held back." }]);
});

it.each([
  ["amazon.titan-embed-text-v2:0", [0.3125, 0.2, 0.3], 3],
  ["cohere.embed-english-v3", [0.3125, 0.5], 2],
])("%s gives a vector", async (id, embedding, inputTokens) => {
  const { ask } = await build();
  const answer = await ask({ id, task: "embedding", input: { input: "words" } });
  expect(answer).toMatchObject({ error: null, finish: { usage: { inputTokens } } });
  expect(JSON.parse(answer.files[0]!.bytes!.toString())).toMatchObject({ model: id, embedding });
});

const texts = Array.from({ length: 20 }, (_, i) => "x".repeat(i + 1));
const firstNumbers = (file: Buffer): number[] =>
  (JSON.parse(file.toString()) as { embeddings: string[] }).embeddings.map(
    (vector) => Buffer.from(vector, "base64").readFloatLE(0) * 16,
  );

it.each([
  ["cohere.embed-english-v3", 1, 2],
  ["amazon.titan-embed-text-v2:0", 20, 60],
])(
  "%s gives the vectors of 20 texts in order, in %i requests of one run",
  async (id, requests, inputTokens) => {
    const { bedrock: simulator, ask } = await build({ mostPosts: requests });
    const answer = await ask({ id, task: "embedding", input: { input: texts } });
    expect(answer).toMatchObject({ error: null, finish: { usage: { inputTokens } } });
    expect(firstNumbers(answer.files[0]!.bytes!)).toEqual(texts.map(({ length }) => length));
    expect(simulator.posts).toHaveLength(requests);
  },
);

it("a text that Titan refuses stops its batch, and earlier answers count as paid", async () => {
  const { bedrock: simulator, ask } = await build({ mostPosts: 96 });
  for (let i = 0; i < 8; i++) simulator.script({});
  simulator.script({
    fault: { kind: "status", status: 400, body: { message: "Malformed input request: no." } },
  });
  const many = Array.from({ length: 96 }, (_, i) => `text ${i}`);
  const answer = await ask({
    id: "amazon.titan-embed-text-v2:0",
    task: "embedding",
    input: { input: many },
  });
  expect(answer).toMatchObject({
    files: [],
    error: { code: "provider_invalid_input", accepted: "yes" },
  });
  expect(simulator.posts.length).toBeLessThan(20);
});

it("Claude's tokens are counted free of charge by its own ID, also behind a profile; other models have no count", async () => {
  const { bedrock: simulator, context } = await build({ mostPosts: 0 });
  const question = {
    system: "Be brief.",
    messages: [{ role: "user" as const, content: "What is a quay?" }],
    tools: [{ name: "look", input_schema: { type: "object" } }],
  };
  const count = (id: string) => bedrock.countTokens!(id, question, context);
  const own = await count("anthropic.claude-sonnet-9-v1:0");
  expect(own).toBeGreaterThan(1_000_000);
  expect(await count("eu.anthropic.claude-sonnet-9-v1:0")).toBe(own);
  expect(await count("eu.amazon.nova-9-lite-v1:0")).toBeNull();
  await expect(count("anthropic.claude-none-v1:0")).rejects.toMatchObject({ accepted: "no" });
  expect(simulator.posts).toEqual([]);
});

it("Claude's answer names the stop sequence that ended it", async () => {
  const { bedrock: simulator, ask } = await build();
  simulator.script({ text: ["Yes"], finishReason: "stop_sequence" });
  expect(await ask({ input: { stop: ["END", "FIN"] } })).toMatchObject({
    error: null,
    finish: { reason: "stop", result: { stopSequence: "END" } },
  });
});

it("a program's top_k is one of Claude's own fields, and other models lack it", async () => {
  const { bedrock: simulator, ask } = await build();
  const id = "anthropic.claude-3-7-sonnet-20250219-v1:0";
  expect((await ask({ id, passed: { top_k: 5 } })).error).toBeNull();
  expect(simulator.posts[0]!.body).toMatchObject({ additionalModelRequestFields: { top_k: 5 } });
  expect(bedrock.passes).toEqual(["top_k", "thinking_budget"]);
  const lacks = (id: string) => bedrock.lacksParameter!(id, "top_k");
  expect(lacks("eu.anthropic.claude-sonnet-9-v1:0")).toBe(false);
  expect(lacks("eu.amazon.nova-pro-v1:0")).toBe(true);
});

it("reasoning returns with its signature and its call, and later instructions as text", async () => {
  const { bedrock: simulator, ask } = await build({ mostPosts: 2 });
  const tools = [{ name: "weather", description: "", inputSchema: { type: "object" } }];
  const turns = asks({ type: "text", text: "Genoa?" });
  simulator.script({
    reasoning: ["Look."],
    text: [],
    toolCalls: [{ name: "weather", input: { place: "Genoa" } }],
  });
  const first = await ask({ turns, tools });
  const thoughts = first.parts.filter((part) => part.type === "reasoning");
  const signed = thoughts.find(({ providerMetadata }) => providerMetadata);
  const call = first.parts.find((part) => part.type === "tool-call")!;
  const { callId, name } = call;
  const second = await ask({
    tools,
    turns: [
      ...turns,
      { role: "assistant", parts: [{ ...signed!, text: "Look." }, call] },
      { role: "tool", parts: [{ type: "tool-result", callId, name, output: "rain" }] },
      { role: "system", parts: [{ type: "text", text: "Be kind." }] },
    ],
  });
  expect(second.error).toBeNull();
  const { messages } = simulator.posts[1]!.body as { messages: { content: object[] }[] };
  expect(messages[1]!.content).toMatchObject([
    { reasoningContent: { reasoningText: { text: "Look.", signature: "c2lnbmVk" } } },
    { toolUse: { toolUseId: callId } },
  ]);
  expect(JSON.stringify(messages[2])).toContain("<system>\\nBe kind.\\n</system>");
});

import { expect, it, onTestFinished } from "vitest";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { type OpenAi, startOpenAi } from "../../../../test/simulators/openai.ts";
import { makeEmbedding } from "../../../../test/simulators/openai-compatible/media.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
  collect,
} from "../../../../test/support/contracts/attempt.ts";
import type { ChatTurn, ModelFacts, OpenConnection, RunRequest } from "../../adapter.ts";
import { openai } from "./adapter.ts";
import { responsesForm } from "./forms.ts";
import { knownModel } from "./snapshot.ts";

async function build(options: { connection?: Partial<OpenConnection>; onePost?: boolean } = {}) {
  const simulator = await startOpenAi();
  onTestFinished(() => simulator.stop());
  const { id: _, ...connection } = {
    kind: "openai",
    addresses: { api: simulator.url },
    options: {},
    secret: simulator.key,
    ...options.connection,
  };
  const built = buildContext({
    origin: new URL(simulator.url).origin,
    connection: connection as Omit<OpenConnection, "id">,
    outbound: { onePost: options.onePost ?? true },
  });
  const ask = (request: Partial<RunRequest> = {}) =>
    collect(openai.answer!(toRequest(request), built.context));
  return { simulator, ...built, ask };
}
const toRequest = (request: Partial<RunRequest> = {}) =>
  buildRequest({
    model: {
      id: "gpt-5.5",
      inputSchema: null,
      capabilities: { reasoning: true, imageInput: true, pdfInput: true },
    },
    ...request,
  });
const sent = (simulator: OpenAi) => simulator.posts.at(-1)!.body as Record<string, unknown>;
const turn = (role: ChatTurn["role"], ...parts: ChatTurn["parts"]): ChatTurn => ({ role, parts });

async function listed(options: OpenConnection["options"] = {}): Promise<Map<string, ModelFacts>> {
  const { context } = await build({ connection: { options } });
  const models = new Map<string, ModelFacts>();
  for await (const page of openai.models(context))
    for (const model of page) models.set(model.id, model);
  return models;
}

it("nothing is stored at OpenAI, and reasoning comes back encrypted", async () => {
  const { simulator, ask } = await build();
  await ask({ input: { maxOutputTokens: 100, reasoningEffort: "high" } });
  expect(sent(simulator)).toMatchObject({
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "high", summary: "auto" },
    max_output_tokens: 100,
    stream: true,
  });
});

it("a call's encrypted reasoning goes back in its place", async () => {
  const { simulator, ask } = await build();
  simulator.script({
    text: ["I look."],
    reasoning: ["hm", "m"],
    toolCalls: [{ name: "weather", input: { place: "Rome" } }],
  });
  const tools = [
    { name: "weather", description: "", inputSchema: { type: "object", properties: {} } },
  ];
  const { parts } = await ask({ tools });
  const second = await build();
  const said = parts.filter(
    (part) => part.type === "reasoning" || part.type === "text" || part.type === "tool-call",
  );
  const call = said.find((part) => part.type === "tool-call")!;
  const turns = [
    turn("user", { type: "text", text: "weather?" }),
    turn("assistant", ...said),
    turn("tool", { type: "tool-result", callId: call.callId, name: call.name, output: "sunny" }),
  ];
  expect((await second.ask({ turns, tools })).error).toBeNull();
  expect(second.warnings).toEqual([]);
  const input = sent(second.simulator).input as Record<string, unknown>[];
  expect(input.find(({ type }) => type === "reasoning")).toMatchObject({
    encrypted_content: "Z2VoZWlt",
  });
  expect(input.map(({ type, role }) => type ?? role)).toEqual([
    "user",
    "reasoning",
    "assistant",
    "function_call",
    "function_call_output",
  ]);
});

it("a PDF is sent as a file", async () => {
  const { simulator, ask } = await build();
  const file = buildFile("report.pdf", "application/pdf", "%PDF-1.7");
  expect(
    (await ask({ turns: [turn("user", { type: "text", text: "read" }, { type: "file", file })] }))
      .error,
  ).toBeNull();
  expect(JSON.stringify(sent(simulator))).toContain('"filename":"report.pdf"');
});

/** The simulator's citation, of the first character of its text. */
const foundAtStart = {
  url: "https://example.org/found",
  title: "What was found",
  start_index: 0,
  end_index: 1,
};

it("a citation has its place in the whole answer, also of a model that searches by itself", async () => {
  const { simulator, ask } = await build();
  const event = (type: string, fields: object) =>
    `data: ${JSON.stringify({ type, ...fields })}\n\n`;
  const { title, url } = foundAtStart;
  const texts = ["One. ", "No. ", "Two."].flatMap((text, output_index) => {
    const at = { output_index, item_id: `msg_${output_index}`, content_index: 0 };
    const item = { type: "message", id: at.item_id, role: "assistant", content: [] };
    const annotation = { type: "url_citation", url, title, start_index: 0, end_index: 4 };
    const cited = { ...at, annotation_index: 0, annotation };
    return [
      event("response.output_item.added", { ...at, item }),
      ...(text === "No. "
        ? [event("response.refusal.delta", { ...at, delta: text })]
        : [
            event("response.output_text.delta", { ...at, delta: text }),
            event("response.output_text.annotation.added", cited),
          ]),
      event("response.output_item.done", { ...at, item }),
    ];
  });
  const response = {
    id: "resp_1",
    created_at: 1,
    model: "gpt-5.5",
    usage: { input_tokens: 1, output_tokens: 2 },
  };
  const body = [
    event("response.created", { response }),
    ...texts,
    event("response.completed", { response }),
  ].join("");
  simulator.script({ fault: { kind: "raw", body } });
  // Some models search without being told to.
  const { finish, parts, error } = await ask();
  expect(error).toBeNull();
  expect(parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("")).toBe(
    "One. No. Two.",
  );
  expect(finish?.result).toEqual({
    urlCitations: [
      { url, title, start_index: 0, end_index: 4 },
      { url, title, start_index: 9, end_index: 13 },
    ],
  });
});

it("web search is requested only if chosen, and gives its sources", async () => {
  const { simulator, ask } = await build();
  expect((await ask()).parts.some(({ type }) => type === "source")).toBe(false);
  expect(sent(simulator)).not.toHaveProperty("tools");
  const second = await build();
  let searches = 0;
  second.context.used = () => void searches++;
  const { parts, error, finish } = await second.ask({
    input: { maxOutputTokens: 100, webSearch: true, maxToolUses: 3 },
  });
  expect(error).toBeNull();
  expect(sent(second.simulator)).toMatchObject({
    tools: [{ type: "web_search" }],
    max_tool_calls: 3,
  });
  expect(parts).toContainEqual({
    type: "source",
    title: "What was found",
    url: "https://example.org/found",
  });
  expect(finish).toMatchObject({ reason: "stop", usage: { units: { "web searches": "1" } } });
  expect(finish?.result).toEqual({ urlCitations: [foundAtStart] });
  expect(searches).toBe(1);
});

it("a program run at OpenAI is shown, its session counted, and its file fetched with the key", async () => {
  const { simulator, context, ask } = await build();
  const used: string[] = [];
  context.used = (tool) => void used.push(tool);
  simulator.script({ text: ["a table"], toolUses: 2 });
  const { parts, error, finish } = await ask({
    input: { maxOutputTokens: 100, codeInterpreter: true, maxToolUses: 3 },
  });
  expect(error).toBeNull();
  expect(sent(simulator)).toMatchObject({
    tools: [{ type: "code_interpreter", container: { type: "auto" } }],
    max_tool_calls: 3,
    store: false,
  });
  const code = parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("");
  expect(code).toContain("```python\nprint(0)\n```");
  expect(code).toContain("print(1)");
  // One container counts once, however many programs run in it.
  expect(finish).toMatchObject({ reason: "stop", usage: { units: { "code sessions": "1" } } });
  expect(used).toEqual(["code sessions"]);
  const files = parts.flatMap((part) => (part.type === "file" ? [part.output] : []));
  expect(files).toMatchObject([{ name: "table.csv", needsKey: true }]);
  expect(parts.some(({ type }) => type === "source")).toBe(false);
  const { url } = files[0] as { url: string };
  const chunks = await Array.fromAsync(openai.openFile!(url, context));
  expect(Buffer.concat(chunks).toString()).toBe("boat,length\ndory,5\n");
});

it("pictures from OpenAI's tool come with their previews, each counted, and within the call limit", async () => {
  const { simulator, context, ask } = await build();
  const used: string[] = [];
  context.used = (tool) => void used.push(tool);
  simulator.script({ text: ["two boats"], toolUses: 5 });
  const { parts, error, finish } = await ask({
    input: { maxOutputTokens: 100, imageTool: true, maxToolUses: 2 },
  });
  expect(error).toBeNull();
  expect(sent(simulator)).toMatchObject({
    tools: [{ type: "image_generation", action: "generate", quality: "medium", size: "1024x1024" }],
  });
  const files = parts.flatMap((part) => (part.type === "file" ? [part.output.name] : []));
  expect(files).toEqual(["tool-picture-1", "tool-picture-2"]);
  expect(parts.filter(({ type }) => type === "preview")).toHaveLength(2);
  expect(finish).toMatchObject({ usage: { units: { "tool pictures": "2" } } });
  expect(used).toEqual(["tool pictures", "tool pictures"]);
});

it("an error before the first word is reported in the provider's words", async () => {
  const { simulator, ask } = await build();
  simulator.script({
    text: ["one"],
    fault: {
      kind: "error-event",
      after: 0,
      error: { code: "insufficient_quota", message: "No money." },
    },
  });
  expect(await ask()).toMatchObject({
    text: "",
    error: { code: "provider_quota", accepted: "yes", detail: { providerMessage: "No money." } },
  });
});

it("a connection may use chat completions, and so does a model that supports only those", async () => {
  const { simulator, ask } = await build({
    connection: { options: { chatApi: "chat completions" } },
  });
  expect((await ask({ input: { maxOutputTokens: 9, stop: ["x"], seed: 1 } })).error).toBeNull();
  const older = await build();
  const model = { id: "gpt-4o-search-preview", inputSchema: null, capabilities: {} };
  expect((await older.ask({ model, input: { maxOutputTokens: 9 } })).error).toBeNull();
  expect([...simulator.posts, ...older.simulator.posts].map(({ path }) => path)).toEqual([
    "/chat/completions",
    "/chat/completions",
  ]);
});

it("truncation and caching follow the program's request, and chat completions don't support truncation", async () => {
  const passed = { truncation: "auto", prompt_cache_retention: "24h" };
  const { simulator, ask, warnings } = await build();
  const all = { ...passed, prompt_cache_key: "k", safety_identifier: "s" };
  expect((await ask({ passed: all })).error).toBeNull();
  expect([sent(simulator), warnings]).toEqual([expect.objectContaining(all), []]);
  const older = await build({ connection: { options: { chatApi: "chat completions" } } });
  expect((await older.ask({ passed })).error).toBeNull();
  expect(sent(older.simulator)).toMatchObject({ prompt_cache_retention: "24h" });
  expect(sent(older.simulator)).not.toHaveProperty("truncation");
  expect(older.warnings).toMatchObject([{ type: "unsupported", feature: "truncation" }]);
});

it("known IDs get their facts, and an unknown ID is a chat model without claims", async () => {
  const models = await listed();
  expect(models.get("gpt-5.5")).toMatchObject({
    tasks: ["chat"],
    releasedAt: 1_700_000_000_000,
    inputModalities: ["text", "image", "file"],
    capabilities: { imageInput: true, pdfInput: true, reasoning: true, tools: true },
    limits: { contextTokens: 1_050_000, outputTokens: 128_000 },
    inputSchema: { properties: { webSearch: {}, background: { default: false } } },
  });
  expect(Object.keys(models.get("gpt-5.5")!.inputSchema!.properties as object)).not.toContain(
    "temperature",
  );
  expect(models.get("gpt-5.5-pro")!.inputSchema).toMatchObject({
    properties: { background: { default: true } },
  });
  const efforts = (id: string) =>
    propertiesOf(responsesForm({ reasoning: true }, knownModel(id))).reasoningEffort!.enum;
  expect(efforts("gpt-5.5")).toContain("none");
  for (const id of ["gpt-5", "gpt-5-mini", "o3"]) expect(efforts(id)).not.toContain("none");
  expect(models.get("gpt-4.1")!.capabilities).toMatchObject({ reasoning: false });
  expect(models.get("new-model-x")).toMatchObject({
    tasks: ["chat"],
    limits: {},
    capabilities: { tools: true },
  });
  expect(models.get("new-model-x")!.capabilities).not.toHaveProperty("imageInput");
  const tasks = [
    "gpt-image-2",
    "gpt-4o-mini-tts",
    "whisper-1",
    "text-embedding-3-small",
    "sora-2",
  ].map((id) => models.get(id)!.tasks[0]);
  expect(tasks).toEqual(["image", "speech", "transcription", "embedding", "video"]);
  expect(models.get("whisper-1")!.price).toMatchObject({
    unit: "second",
    micros: "100",
    source: expect.any(String),
  });
});

it("an admin's stated task overrides the known one", async () => {
  const models = await listed({
    models: '[{"id": "gpt-5.5", "task": "embedding"}, {"id": "mine", "task": "image"}]',
  });
  expect(models.get("gpt-5.5")!.tasks).toEqual(["embedding"]);
  expect(models.get("mine")!.tasks).toEqual(["image"]);
});

const picture = (input: RunRequest["input"], files = new Map()) => ({
  task: "image" as const,
  model: { id: "gpt-image-2", inputSchema: null, capabilities: { preview: true } },
  turns: [],
  input: { prompt: "a fox", ...input },
  files,
});

it("one picture is shown while it is made, over one POST", async () => {
  const { simulator, ask } = await build();
  const { parts, error } = await ask(picture({ quality: "low", partial_images: 2 }));
  expect(error).toBeNull();
  expect(parts.map(({ type }) => type)).toEqual(["preview", "preview", "file", "finish"]);
  expect(parts.at(-1)).toMatchObject({
    usage: { inputTokens: 5, outputTokens: 100, units: { images: "1" } },
  });
  expect(simulator.posts.map(({ body }) => body)).toEqual([
    { model: "gpt-image-2", prompt: "a fox", quality: "low", stream: true, partial_images: 2 },
  ]);
});

it("several pictures, and one without previews, come whole", async () => {
  const { simulator, ask } = await build();
  const { files } = await ask(picture({ n: 2 }));
  expect(files).toHaveLength(2);
  expect(sent(simulator)).not.toHaveProperty("stream");
});

it("an edit with a mask is shown while it is made too", async () => {
  const { simulator, ask } = await build();
  const files = new Map(["1", "2"].map((id) => [id, buildFile(id, "image/png", "png")]));
  const { parts, error } = await ask(picture({ images: ["asset:1"], mask: "asset:2" }, files));
  expect(error).toBeNull();
  expect(parts.map(({ type }) => type)).toEqual(["preview", "file", "finish"]);
  expect(simulator.posts).toMatchObject([
    { path: "/images/edits", body: { stream: "true", partial_images: "1", mask: { bytes: 3 } } },
  ]);
});

it.each([
  [{ kind: "reset", at: "head" }, "provider_interrupted"],
  [{ kind: "no-finish", after: 0 }, "provider_interrupted"],
  [
    { kind: "error-event", after: 0, error: { code: "moderation_blocked", message: "no" } },
    "provider_rejected",
  ],
] as const)(
  "a picture that breaks off after a preview (%j) isn't a picture",
  async (fault, code) => {
    const { simulator, ask } = await build();
    simulator.script({ fault });
    expect(await ask(picture({}))).toMatchObject({
      files: [],
      error: { code, accepted: "yes" },
      finish: undefined,
    });
    expect(simulator.posts).toHaveLength(1);
  },
);

const embedding = (input: unknown) => ({
  task: "embedding" as const,
  model: { id: "text-embedding-3-small", inputSchema: null, capabilities: {} },
  turns: [],
  input: { input } as RunRequest["input"],
});

it("a batch of texts or tokens is one request, its vectors packed as they arrive", async () => {
  const { simulator, ask } = await build({ onePost: false });
  for (const input of [
    ["fox", "badger"],
    [[1, 2], [3]],
  ]) {
    const { files, error, parts } = await ask(embedding(input));
    expect(error).toBeNull();
    expect(sent(simulator)).toMatchObject({ input, encoding_format: "base64" });
    const kept = JSON.parse(files[0]!.bytes!.toString()) as { embeddings: string[] };
    expect(kept).toMatchObject({ dimensions: 8, encoding: "base64" });
    const [first] = kept.embeddings.map((text) => Buffer.from(text, "base64").readFloatLE(0));
    expect(first).toBeCloseTo(makeEmbedding(String(input[0]), 8)[0]!, 5);
    expect(parts.at(-1)).toMatchObject({ type: "finish", usage: { inputTokens: 3 } });
  }
  await ask(embedding("fox"));
  expect(sent(simulator)).toMatchObject({ input: "fox", encoding_format: "float" });
});

it("a transcript streams from the models that support it", async () => {
  const { simulator, ask } = await build({ onePost: false });
  const recording = new Map([["1", buildFile("talk.mp3", "audio/mpeg", "mp3")]]);
  const hear = (id: string) =>
    ask({
      task: "transcription",
      model: { id, inputSchema: null, capabilities: {} },
      turns: [],
      input: { file: "asset:1" },
      files: recording,
    });
  const streamed = await hear("gpt-4o-transcribe");
  expect(streamed.error).toBeNull();
  expect(sent(simulator)).toMatchObject({ stream: "true" });
  expect(streamed.parts.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
  expect(streamed.parts.at(-1)).toMatchObject({ type: "finish", usage: { inputTokens: 14 } });
  const whole = await hear("whisper-1");
  expect(sent(simulator)).not.toHaveProperty("stream");
  expect(whole.parts.filter(({ type }) => type === "text")).toHaveLength(1);
});

it("log probabilities come at the end of the answer, as OpenAI states them", async () => {
  const { simulator, ask } = await build();
  const { finish } = await ask({
    model: { id: "gpt-4.1", inputSchema: null, capabilities: { reasoning: false } },
    passed: { logprobs: true, top_logprobs: 1 },
  });
  expect(sent(simulator)).toMatchObject({
    include: ["message.output_text.logprobs"],
    top_logprobs: 1,
  });
  const { logprobs } = finish!.result as { logprobs: { token: string; bytes: number[] }[] };
  expect(logprobs.map(({ token }) => token).join("")).toBe("You said: hello there");
  expect(logprobs[0]!.bytes).toEqual([...Buffer.from(logprobs[0]!.token)]);
});

import { Ollama } from "ollama";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type OllamaSimulator, startOllama } from "../../../../test/simulators/ollama.ts";
import {
  type AnswerPart,
  type ChatTurn,
  type InputFile,
  type ModelFacts,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { createOutbound, type Outbound } from "../../outbound/outbound.ts";
import { ollama } from "./adapter.ts";

let sim: OllamaSimulator;
let outbound: Outbound;
let models: Map<string, ModelFacts>;
let warnings: string[];

beforeEach(async () => {
  outbound = createOutbound();
  warnings = [];
  await start(await startOllama());
});
afterEach(async () => {
  await outbound.close();
  await sim.stop();
});

async function start(simulator: OllamaSimulator, secret: string | null = null) {
  sim = simulator;
  const pages: ModelFacts[][] = [];
  for await (const page of ollama.models(buildContext({ secret }))) pages.push(page);
  models = new Map(pages.flat().map((model) => [model.id, model]));
}

type Wish = { secret?: string | null; api?: string; signal?: AbortSignal };
function buildContext({
  secret = null,
  api = sim.url,
  signal = new AbortController().signal,
}: Wish = {}): RunContext {
  return {
    connection: { id: "c1", kind: "ollama", addresses: { api }, options: {}, secret },
    fetch: outbound.open({ privateOrigins: [sim.url], onePost: true }),
    signal,
    clock: { now: () => 1_000 },
    clientToken: "t1",
    warn: ({ feature }) => warnings.push(feature),
  };
}

const said = (role: ChatTurn["role"], text: string): ChatTurn => ({
  role,
  parts: [{ type: "text", text }],
});

function buildRequest(
  model: string,
  turns: ChatTurn[] | string,
  input: RunRequest["input"] = {},
): RunRequest {
  const facts = models.get(model);
  return {
    runId: "r1",
    task: facts?.tasks[0] ?? "chat",
    model: {
      id: model,
      inputSchema: facts?.inputSchema ?? null,
      capabilities: facts?.capabilities ?? {},
    },
    input,
    turns: typeof turns === "string" ? [said("user", turns)] : turns,
    files: new Map(),
  };
}

function buildFile(mime: string, content: string, name: string): InputFile {
  const bytes = Buffer.from(content);
  return {
    ...{ assetId: "a", sha256: "", mime, bytes: bytes.length, name, width: null, height: null },
    open: async (range) =>
      (async function* () {
        yield range ? bytes.subarray(range.start, range.end + 1) : bytes;
      })(),
  };
}

/** Collects the parts, and the error that ended them, if any. */
async function collect(parts: AsyncIterable<AnswerPart>) {
  const came = {
    text: "",
    reasoning: "",
    finish: undefined as AnswerPart | undefined,
    error: undefined as ProviderError | undefined,
  };
  try {
    for await (const part of parts) {
      if (part.type === "text") came.text += part.text;
      if (part.type === "reasoning") came.reasoning += part.text;
      if (part.type === "finish") came.finish = part;
    }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    came.error = error;
  }
  return came;
}

const ask = (
  model: string,
  turns: ChatTurn[] | string,
  input?: RunRequest["input"],
  context = buildContext(),
) => collect(ollama.answer!(buildRequest(model, turns, input), context));

it("a chat streams its words and ends with Ollama's counts", async () => {
  const { text, reasoning, finish } = await ask("llama3.2:latest", [
    said("system", "Be short."),
    said("user", "hello there"),
  ]);
  expect(text).toBe("You said: hello there");
  expect(reasoning).toBe("");
  expect(finish).toMatchObject({ type: "finish", reason: "stop", usage: { outputTokens: 4 } });
  expect(sim.ledger.posts[0]?.body.messages).toEqual([
    { role: "system", content: "Be short." },
    { role: "user", content: "hello there" },
  ]);
  expect(sim.ledger.postsOf("hello there")).toBe(1);
});

it("thinking is separate from the answer, and can be turned off or set to a level if the model has levels", async () => {
  expect(await ask("qwen3:8b", "a")).toMatchObject({
    reasoning: "Let me think. ",
    error: undefined,
  });
  expect(await ask("qwen3:8b", "b", { think: false })).toMatchObject({
    reasoning: "",
    error: undefined,
  });
  expect(await ask("qwen3:8b", "c", { reasoningEffort: "high" })).toMatchObject({
    error: undefined,
  });
  expect(await ask("gpt-oss:20b", "d", { think: "low" })).toMatchObject({ error: undefined });
  expect(sim.ledger.posts.map(({ body }) => body.think)).toEqual([undefined, false, true, "low"]);
  expect(await ask("llama3.2:latest", "e", { think: true })).toMatchObject({ error: undefined });
  expect(warnings).toEqual(["think"]);
});

it("settings use Ollama's names, the length limit is always sent, and an unsupported setting is reported", async () => {
  const input = {
    maxOutputTokens: 2,
    temperature: 0.2,
    topP: 0.9,
    topK: 40,
    seed: 7,
    stop: ["END"],
    contextTokens: 8_192,
    keepAlive: "-1",
    logprobs: true,
  };
  const { text, finish } = await ask("llama3.2:latest", "many words here", input);
  expect(text).toBe("You said:");
  expect(finish).toMatchObject({ reason: "length" });
  expect(sim.ledger.posts[0]?.body).toMatchObject({
    stream: true,
    keep_alive: -1,
    options: {
      num_predict: 2,
      temperature: 0.2,
      top_p: 0.9,
      top_k: 40,
      seed: 7,
      stop: ["END"],
      num_ctx: 8_192,
    },
  });
  expect(warnings).toEqual(["logprobs"]);
  await ask("llama3.2:latest", "plain");
  expect(sim.ledger.posts[1]?.body.options).toEqual({ num_predict: 8_192 });
});

it("a prompt over the context is refused before its first word, whether or not a context was chosen", async () => {
  for (const [words, input] of [
    [400, { contextTokens: 256 }],
    [5_000, {}],
  ] as const) {
    const { text, error } = await ask("llama3.2:latest", "word ".repeat(words), input);
    expect(text).toBe("");
    expect(error).toMatchObject({ code: "provider_context_too_long", accepted: "no" });
    expect(error?.detail.message).toContain(
      `exceeds the available context size (${input.contextTokens ?? 4_096} tokens)`,
    );
  }
  const text = { input: "word ".repeat(5_000) };
  expect(await ask("nomic-embed-text:latest", [], text)).toMatchObject({
    error: { code: "provider_context_too_long", accepted: "no" },
  });
  expect(sim.ledger.posts).toHaveLength(3);
});

it("an answer that fills the context ends there, without dropping earlier messages", async () => {
  const { text, finish } = await ask("llama3.2:latest", "word ".repeat(200), {
    contextTokens: 210,
  });
  expect(text.split(" ").length).toBeLessThan(12);
  expect(finish).toMatchObject({ reason: "length" });
});

it("an old Ollama still drops messages, which is reported", async () => {
  await sim.stop();
  await start(await startOllama({ isOld: true }));
  await ask("llama3.2:latest", "word ".repeat(400), { contextTokens: 256 });
  expect(warnings).toEqual(["contextTokens"]);
});

it("pictures are sent to a model with vision, and unreadable files are reported and left out", async () => {
  const picture = { type: "file" as const, file: buildFile("image/png", "png", "cat.png") };
  const notes = {
    type: "file" as const,
    file: buildFile("text/markdown", "# Hi ```x```", "notes.md"),
  };
  const page = { type: "file" as const, file: buildFile("application/pdf", "%PDF", "page.pdf") };
  await ask("gemma3:4b", [
    { role: "user", parts: [{ type: "text", text: "What is it?" }, picture, notes, page] },
  ]);
  const [message] = sim.ledger.posts[0]!.body.messages as { content: string; images: string[] }[];
  expect(message?.images).toEqual([Buffer.from("png").toString("base64")]);
  expect(message?.content).toBe("What is it?\n\nnotes.md:\n````\n# Hi ```x```\n````");
  expect(warnings).toEqual(["application/pdf"]);
  await ask("llama3.2:latest", [
    { role: "user", parts: [{ type: "text", text: "And now?" }, picture] },
  ]);
  expect(warnings).toEqual(["application/pdf", "image/png"]);
  const nothing = await ask("llama3.2:latest", [{ role: "user", parts: [picture] }]);
  expect(nothing.error).toMatchObject({ code: "provider_invalid_input", accepted: "no" });
  expect(sim.ledger.posts).toHaveLength(2);
});

it("an endless line is cut off, and the text before it is saved", async () => {
  const came = await ask("llama3.2:latest", "tell me [sim:long-line]");
  expect(came).toMatchObject({
    text: "You said:",
    finish: undefined,
    error: { code: "provider_protocol", accepted: "yes" },
  });
  expect(sim.posts).toHaveLength(1);
});

it("a tool is offered without a tool choice, which Ollama lacks, and a required tool is offered alone", async () => {
  const tool = (name: string) => ({
    name,
    description: "It does.",
    inputSchema: { type: "object", properties: {} },
  });
  const request = { ...buildRequest("qwen3:8b", "and now?"), tools: [tool("one"), tool("two")] };
  const offered = async (more: Partial<RunRequest>) => {
    expect(
      (await collect(ollama.answer!({ ...request, ...more }, buildContext()))).error,
    ).toBeUndefined();
    const tools = (sim.ledger.posts.at(-1)!.body.tools ?? []) as { function: { name: string } }[];
    return tools.map((sent) => sent.function.name);
  };
  expect(await offered({})).toEqual(["one", "two"]);
  expect(await offered({ toolChoice: "auto" })).toEqual(["one", "two"]);
  expect(warnings).toEqual([]);
  expect(await offered({ toolChoice: "required" })).toEqual(["one", "two"]);
  expect(await offered({ toolChoice: { name: "two" } })).toEqual(["two"]);
  expect(warnings).toEqual(["toolChoice", "toolChoice"]);
  expect(await offered({ toolChoice: "none" })).toEqual([]);
});

it("a tool call comes whole, with the reasoning before it, and its result goes back by the tool's name", async () => {
  sim.meet({
    text: [],
    reasoning: ["Look it up."],
    toolCalls: [{ name: "weather", input: { place: "Rome" } }],
  });
  const tools = [
    { name: "weather", description: "It tells.", inputSchema: { type: "object", properties: {} } },
  ];
  const asked = { ...buildRequest("qwen3:8b", "how is it?"), tools };
  const parts: AnswerPart[] = [];
  for await (const part of ollama.answer!(asked, buildContext())) parts.push(part);
  const call = {
    type: "tool-call",
    callId: "call_0",
    name: "weather",
    input: { place: "Rome" },
  } as const;
  expect(parts).toMatchObject([
    { type: "reasoning", text: "Look it up." },
    { type: "tool-call-piece", place: 0, name: "weather", text: '{"place":"Rome"}' },
    call,
    { type: "finish", reason: "tool-calls" },
  ]);
  const turns: ChatTurn[] = [
    ...asked.turns,
    { role: "assistant", parts: [{ type: "reasoning", text: "Look it up." }, call] },
    {
      role: "tool",
      parts: [
        {
          type: "tool-result",
          callId: "call_0",
          name: "weather",
          output: "No station.",
          failed: true,
        },
      ],
    },
  ];
  expect(
    (await collect(ollama.answer!({ ...asked, turns }, buildContext()))).error,
  ).toBeUndefined();
  expect(sim.ledger.posts[1]!.body.messages).toMatchObject([
    { role: "user", content: "how is it?" },
    {
      role: "assistant",
      content: "",
      thinking: "Look it up.",
      tool_calls: [{ id: "call_0", function: { name: "weather", arguments: { place: "Rome" } } }],
    },
    { role: "tool", tool_name: "weather", content: "The tool failed: No station." },
  ]);
});

it("an answer's schema is sent as a JSON schema", async () => {
  const schema = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };
  const request = {
    ...buildRequest("llama3.2:latest", "where?"),
    answerShape: { name: "place", schema },
  };
  expect((await collect(ollama.answer!(request, buildContext()))).error).toBeUndefined();
  expect(sim.ledger.posts[0]!.body.format).toEqual(schema);
});

it("a model that isn't installed is gone, in Ollama's words", async () => {
  const { error } = await ask("never:1b", "x");
  expect(error).toMatchObject({ code: "model_gone", accepted: "no" });
  expect(error?.message).toContain("model 'never:1b' not found");
});

it("stopping closes the connection, so that the model stops", async () => {
  const controller = new AbortController();
  const context = buildContext({ signal: controller.signal });
  const words: string[] = [];
  const reading = (async () => {
    for await (const part of ollama.answer!(
      buildRequest("llama3.2:latest", "one two three [sim:hold]"),
      context,
    )) {
      if (part.type === "text") words.push(part.text);
      controller.abort(new Error("stopped"));
    }
  })();
  await expect(reading).rejects.toThrow("stopped");
  expect(words).toEqual(["You"]);
  await expect.poll(() => sim.posts[0]?.state).toBe("client-left");
});

it("installed models use the server's capabilities, or their names if it states none", async () => {
  expect(models.get("gemma3:4b")).toMatchObject({
    tasks: ["chat"],
    inputModalities: ["text", "image"],
    capabilities: { imageInput: true, reasoning: false, tools: false },
    limits: { contextTokens: 131_072 },
    price: null,
    status: "active",
  });
  expect(models.get("qwen3:8b")).toMatchObject({
    limits: { contextTokens: 40_960 },
    capabilities: { reasoning: true, imageInput: false },
  });
  expect(models.get("gpt-oss:20b")?.inputSchema).toMatchObject({
    properties: { think: { enum: ["low", "medium", "high"] } },
  });
  expect(models.get("llama3.2:latest")).toMatchObject({
    name: "llama3.2",
    description: "llama, 3.2B, Q4_K_M",
  });
  expect(models.get("llama3.2:latest")?.inputSchema?.properties).not.toHaveProperty("think");
  expect(models.get("nomic-embed-text:latest")).toMatchObject({
    tasks: ["embedding"],
    outputModalities: ["file"],
  });
  expect(models.get("old-timer:7b")?.capabilities).toEqual({ seed: true });
  expect(models.get("old-minilm:33m")?.tasks).toEqual(["embedding"]);
});

it("a model for judging or reading pages completes text but isn't listed as chat", () => {
  expect([...models.keys()]).not.toContain("llama-guard3:8b");
  expect([...models.keys()]).not.toContain("deepseek-ocr:3b");
});

it("a text becomes a vector in a file", async () => {
  const parts: AnswerPart[] = [];
  for await (const part of ollama.answer!(
    buildRequest("nomic-embed-text:latest", [], { input: "three little words" }),
    buildContext(),
  ))
    parts.push(part);
  const [file, finish] = parts;
  if (file?.type !== "file" || !("bytes" in file.output)) throw new Error("no file");
  const kept = JSON.parse(Buffer.from(file.output.bytes).toString()) as { embedding: number[] };
  expect(kept).toMatchObject({ model: "nomic-embed-text:latest", dimensions: 8 });
  expect(kept.embedding).toHaveLength(8);
  expect(finish).toEqual({ type: "finish", reason: "stop", usage: { inputTokens: 3 } });
});

it("several texts are one request, and one file with a packed vector each", async () => {
  const parts: AnswerPart[] = [];
  for await (const part of ollama.answer!(
    buildRequest("nomic-embed-text:latest", [], { input: ["three little words", "two"] }),
    buildContext(),
  ))
    parts.push(part);
  const [file] = parts;
  if (file?.type !== "file" || !("bytes" in file.output)) throw new Error("no file");
  const kept = JSON.parse(Buffer.from(file.output.bytes).toString()) as { embeddings: string[] };
  expect(kept).toMatchObject({ dimensions: 8, encoding: "base64" });
  expect(kept.embeddings.map((text) => Buffer.from(text, "base64").length)).toEqual([32, 32]);
});

it("a pull reports bytes done of the total, and ends with the model installed", async () => {
  const seen = [];
  for await (const line of ollama.local!.pull!("tinyllama", buildContext())) seen.push(line);
  expect(seen).toContainEqual({ status: "pulling aaaaaaaaaaaa", done: 500, total: 1_000 });
  expect(seen.at(-1)).toEqual({ status: "success" });
  expect(sim.models()).toContain("tinyllama:latest");
});

it("a pull that fails, breaks off or finds nothing is an error", async () => {
  const pull = async (name: string) => {
    for await (const _ of ollama.local!.pull!(name, buildContext()));
  };
  await expect(pull("x-breaks")).rejects.toMatchObject({
    code: "provider_interrupted",
    message: expect.stringContaining("unexpected EOF"),
  });
  await expect(pull("x-drops")).rejects.toMatchObject({ code: "provider_interrupted" });
  await expect(pull("nowhere")).rejects.toBeInstanceOf(ProviderError);
});

it("a model is loaded and unloaded, an embedding model too", async () => {
  const loaded = async () =>
    (await ollama.local!.list(buildContext())).models
      .filter(({ state }) => state === "loaded")
      .map(({ model }) => model);
  await ollama.local!.load!("qwen3:8b", buildContext());
  await ollama.local!.load!("nomic-embed-text:latest", buildContext());
  expect(await loaded()).toEqual(["qwen3:8b", "nomic-embed-text:latest"]);
  await ollama.local!.unload!("nomic-embed-text:latest", buildContext());
  expect(await loaded()).toEqual(["qwen3:8b"]);
  await expect(ollama.local!.load!("nowhere", buildContext())).rejects.toMatchObject({
    code: "model_gone",
  });
});

it("a cloud model says where it runs", async () => {
  const models = (await Array.fromAsync(ollama.models(buildContext()))).flat();
  const of = (id: string) => models.find((model) => model.id === id)?.description;
  expect(of("gpt-oss:120b-cloud")).toBe("Runs at ollama.com. gptoss, 116.8B, Q4_K_M");
  expect(of("qwen3:8b")).toBe("qwen3, 8.2B, Q4_K_M");
});

it("program parameters are among its options", async () => {
  const request = buildRequest("llama3.2:latest", "hello", { minP: 0.1 });
  const passed = { repeat_penalty: 1.1, top_k: 20 };
  await collect(ollama.answer!({ ...request, passed }, buildContext()));
  expect(sim.ledger.posts.at(-1)!.body).toMatchObject({
    options: { min_p: 0.1, repeat_penalty: 1.1, top_k: 20 },
  });
});

it("a model can be removed once, and loaded models are listed with their memory", async () => {
  await ask("llama3.2:latest", "load it");
  const { models, acts } = await ollama.local!.list(buildContext());
  expect(acts).toEqual(["load", "unload", "pull", "remove"]);
  const entry = models.find(({ state }) => state === "loaded");
  expect(entry).toMatchObject({ model: "llama3.2:latest", name: "llama3.2", bytes: 2_019_393_189 });
  expect(entry?.expiresAt).toBeGreaterThan(0);
  await ollama.local!.remove!("llama3.2:latest", buildContext());
  expect(sim.models()).not.toContain("llama3.2:latest");
  await expect(ollama.local!.remove!("llama3.2:latest", buildContext())).rejects.toMatchObject({
    code: "model_gone",
  });
});

it("the check reports the version, and distinguishes a web page from a closed port", async () => {
  expect(await ollama.check(buildContext())).toEqual({ message: "Ollama 0.40.12" });
  await expect(ollama.check(buildContext({ api: `${sim.url}/site` }))).rejects.toMatchObject({
    code: "provider_protocol",
  });
  await sim.stop();
  await expect(ollama.check(buildContext())).rejects.toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
});

it("a key is sent if a proxy requires one, and a wrong key is reported", async () => {
  await sim.stop();
  await start(await startOllama({ key: "proxy-key" }), "proxy-key");
  expect(
    (await ask("llama3.2:latest", "x", {}, buildContext({ secret: "proxy-key" }))).error,
  ).toBeUndefined();
  expect(
    (await ask("llama3.2:latest", "x", {}, buildContext({ secret: "wrong" }))).error,
  ).toMatchObject({
    code: "provider_auth",
    accepted: "no",
  });
});

it("Ollama's own client accepts the simulator as Ollama", async () => {
  const client = new Ollama({ host: sim.url });
  expect((await client.list()).models.map(({ name }) => name)).toContain("qwen3:8b");
  expect((await client.show({ model: "gemma3:4b" })).capabilities).toContain("vision");
  const words: string[] = [];
  for await (const part of await client.chat({
    model: "llama3.2",
    messages: [{ role: "user", content: "hi" }],
    stream: true,
  })) {
    words.push(part.message.content);
  }
  expect(words.join("")).toBe("You said: hi");
  expect((await client.embed({ model: "nomic-embed-text", input: "x" })).embeddings).toHaveLength(
    1,
  );
  const lines: string[] = [];
  for await (const { status } of await client.pull({ model: "tinyllama", stream: true }))
    lines.push(status);
  expect(lines.at(-1)).toBe("success");
  expect((await client.ps()).models).toHaveLength(2);
});

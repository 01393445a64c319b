import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { film } from "../../../../test/simulators/google/operations.ts";
import { startGoogle } from "../../../../test/simulators/google.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
  collect,
  toolQuestion,
} from "../../../../test/support/contracts/attempt.ts";
import { heicPhoto } from "../../../../test/support/heic.ts";
import type { AnswerPart, ChatPart, JobHandle, ModelFacts, RunRequest } from "../../adapter.ts";
import { google } from "./adapter.ts";

const job = google.job!;
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function build(options: Record<string, string> = {}) {
  const simulator = await startGoogle();
  onTestFinished(() => simulator.stop());
  const connection = {
    kind: "google",
    addresses: { api: simulator.url },
    options,
    secret: simulator.key,
  };
  /** Each attempt has its own context, which allows one paid POST. */
  const attempt = () => buildContext({ origin: new URL(simulator.url).origin, connection });
  const ask = async (request: Partial<RunRequest> = {}) => {
    const model = {
      id: "gemini-3.5-flash",
      inputSchema: null,
      capabilities: { reasoning: true, tools: true },
    };
    const { context, warnings } = attempt();
    let searches = 0;
    context.used = () => void searches++;
    return {
      ...(await collect(google.answer!(buildRequest({ model, ...request }), context))),
      searches,
      warnings,
    };
  };
  const { context } = attempt();
  const models = async () => {
    const all: ModelFacts[] = [];
    for await (const page of google.models(context)) all.push(...page);
    return all;
  };
  return { simulator, attempt, context, ask, models };
}

const media = (
  task: RunRequest["task"],
  id: string,
  input: RunRequest["input"],
  more: Partial<RunRequest> = {},
) => ({
  task,
  model: { id, inputSchema: null, capabilities: {} },
  input,
  turns: [],
  ...more,
});
const bodyOf = (simulator: { posts: { body: unknown }[] }) =>
  simulator.posts[0]!.body as Record<string, Record<string, unknown>>;

afterEach(() => vi.unstubAllEnvs());

it("the list is read to its end, with each model's task", async () => {
  const { models } = await build();
  const all = await models();
  expect(Object.fromEntries(all.map(({ id, tasks }) => [id, tasks[0]]))).toEqual({
    "gemini-3.5-flash": "chat",
    "gemini-2.5-flash": "chat",
    "gemini-3.1-flash-image-preview": "image",
    "gemini-2.5-flash-preview-tts": "speech",
    "gemma-3-1b-it": "chat",
    "gemini-embedding-001": "embedding",
    "imagen-4.0-generate-001": "image",
    "veo-3.1-generate-preview": "video",
    "gemini-9-flash-tts": "speech",
    "nano-banana-9-preview": "image",
    "gemini-9-flash": "chat",
  });
  const [flash, older, , , gemma] = all;
  expect(flash).toMatchObject({
    name: "The gemini-3.5-flash",
    limits: { contextTokens: 1_048_576, outputTokens: 65_536 },
    inputModalities: ["text", "image", "file", "audio", "video"],
    capabilities: {
      ...{ reasoning: true, tools: true, heicInput: true },
      ...{ audioInput: true, videoInput: true },
    },
  });
  expect(flash!.inputSchema!.properties).not.toHaveProperty("thinkingBudget");
  expect(older!.inputSchema!.properties).toMatchObject({ thinkingBudget: { maximum: 24_576 } });
  expect(all.find(({ id }) => id.startsWith("veo"))!.inputSchema!.properties).not.toHaveProperty(
    "seed",
  );
  expect(gemma).toMatchObject({
    inputModalities: ["text"],
    capabilities: { reasoning: false, tools: false },
  });
});

it("an unknown model has the task that an admin states", async () => {
  const { models } = await build({
    models:
      '[{"id": "gemini-new-image", "task": "image"}, {"id": "gemma-3-1b-it", "task": "speech"}]',
  });
  const tasks = Object.fromEntries((await models()).map(({ id, tasks: [task] }) => [id, task]));
  expect(tasks).toMatchObject({ "gemini-new-image": "image", "gemma-3-1b-it": "speech" });
  expect(Object.keys(tasks)).toHaveLength(12);
});

it("a key from the environment is never sent: only the connection's own", async () => {
  const trap = "AIza-trap-of-the-environment";
  for (const name of ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"])
    vi.stubEnv(name, trap);
  vi.stubEnv("GOOGLE_GENERATIVE_AI_BASE_URL", "http://127.0.0.1:1");
  const { simulator, ask, context } = await build();
  expect((await ask()).error).toBeNull();
  await google.check(context);
  expect(simulator.posts[0]!.headers["x-goog-api-key"]).toBe(simulator.key);
  expect(JSON.stringify(simulator.posts)).not.toContain(trap);
  const without = collect(
    google.answer!(buildRequest(), {
      ...context,
      connection: { ...context.connection, secret: null },
    }),
  );
  expect((await without).error).toMatchObject({ code: "provider_auth", accepted: "no" });
  expect(simulator.posts).toHaveLength(1);
});

it("thinking is requested by an effort or by a budget", async () => {
  const { simulator, ask } = await build();
  await ask({ input: { reasoningEffort: "low" } });
  await ask({
    model: { id: "gemini-2.5-flash", inputSchema: null, capabilities: { reasoning: true } },
    input: { thinkingBudget: 512, reasoningEffort: "high", safety: "BLOCK_ONLY_HIGH" },
  });
  expect(simulator.posts.map(({ body }) => body)).toMatchObject([
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } } },
    {
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 512 } },
      safetySettings: expect.arrayContaining([
        { category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_ONLY_HIGH" },
      ]),
    },
  ]);
});

it("a call's thought signature comes with it and goes back", async () => {
  const { simulator, ask } = await build();
  simulator.script({
    reasoning: ["hm"],
    text: [],
    toolCalls: [
      { name: "weather", input: { place: "Rome" } },
      { name: "weather", input: {} },
    ],
  });
  const { parts } = await ask({
    tools: [{ name: "weather", description: "", inputSchema: { type: "object", properties: {} } }],
  });
  expect(parts.filter(({ type }) => type === "tool-call")).toEqual([
    {
      type: "tool-call",
      callId: "call_1",
      name: "weather",
      input: { place: "Rome" },
      providerMetadata: { google: { thoughtSignature: "c2lnbmVk" } },
    },
    { type: "tool-call", callId: "call_2", name: "weather", input: {} },
  ]);
});

it("Google Search is sent if chosen; its results are sources with their places, and its searches are counted", async () => {
  const { simulator, ask } = await build();
  simulator.script({ text: ["Süße ", "🍒 trees."] });
  const answer = await ask({ input: { webSearch: true } });
  expect(simulator.posts).toMatchObject([{ body: { tools: [{ googleSearch: {} }] } }]);
  expect(answer.parts).toContainEqual({
    type: "source",
    title: "What was found",
    url: "https://example.org/found",
  });
  const found = { url: "https://example.org/found", title: "What was found" };
  expect(answer.finish).toMatchObject({
    usage: { units: { "web searches": "2" } },
    result: { urlCitations: [{ ...found, start_index: 5, end_index: 14 }] },
  });
  expect(answer.searches).toBe(2);
});

it("before Gemini 3, an answer with searches is charged once, however many there were", async () => {
  const { ask } = await build();
  const older = { id: "gemini-2.5-flash", inputSchema: null, capabilities: {} };
  const answer = await ask({ input: { webSearch: true }, model: older });
  expect(answer.finish).toMatchObject({ usage: { units: { "web searches": "1" } } });
  expect(answer.searches).toBe(1);
});

it("recordings and videos are sent to models that take them, and left out with a warning otherwise", async () => {
  const { simulator, ask } = await build();
  const parts = [
    { type: "text" as const, text: "what is this?" },
    { type: "file" as const, file: buildFile("song.mp3", "audio/mpeg", "ID3") },
    { type: "file" as const, file: buildFile("clip.mp4", "video/mp4", "ftyp") },
  ];
  const model = {
    id: "gemini-3.5-flash",
    inputSchema: null,
    capabilities: { audioInput: true, videoInput: true },
  };
  simulator.script({
    usage: {
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 4 },
        { modality: "AUDIO", tokenCount: 40 },
      ],
    },
  });
  const heard = await ask({ model, turns: [{ role: "user", parts }] });
  expect(heard).toMatchObject({ error: null, finish: { usage: { audioInputTokens: 40 } } });
  expect(JSON.stringify(simulator.posts[0]!.body)).toContain('"mimeType":"audio/mpeg"');
  expect(JSON.stringify(simulator.posts[0]!.body)).toContain('"mimeType":"video/mp4"');
  const { error, warnings } = await ask({ turns: [{ role: "user", parts }] });
  expect(error).toBeNull();
  expect(warnings.map(({ message }) => message)).toEqual([
    "This model is not known to listen to recordings. song.mp3 was left out.",
    "This model is not known to watch videos. clip.mp4 was left out.",
  ]);
});

it("a HEIC photo is sent as it is to models that read it, and left out with a warning otherwise", async () => {
  const { simulator, ask } = await build();
  const parts = [
    { type: "text" as const, text: "what is this?" },
    { type: "file" as const, file: buildFile("IMG_1.heic", "image/heic", heicPhoto) },
  ];
  const model = { id: "gemini-3.5-flash", inputSchema: null, capabilities: { heicInput: true } };
  expect(await ask({ model, turns: [{ role: "user", parts }] })).toMatchObject({ error: null });
  const [sent] = simulator.posts;
  expect(JSON.stringify(sent!.body)).toContain('"mimeType":"image/heic"');
  expect(JSON.stringify(sent!.body)).toContain(heicPhoto.toString("base64"));
  const { warnings } = await ask({ turns: [{ role: "user", parts }] });
  expect(warnings.map(({ message }) => message)).toEqual([
    "This model is not known to read HEIC. IMG_1.heic was left out. Export it as JPEG.",
  ]);
});

it.each(["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"])(
  "an answer that ends by %s reports that a filter stopped it",
  async (finishReason) => {
    const { simulator, ask } = await build();
    simulator.script({ text: ["one"], finishReason });
    expect(await ask()).toMatchObject({
      text: "one",
      error: null,
      finish: { reason: "content-filter" },
    });
  },
);

it("a blocked prompt is a refusal that states the reason", async () => {
  const { simulator, ask } = await build();
  const blocked = {
    promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
    usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
  };
  simulator.script({ fault: { kind: "raw", body: `data: ${JSON.stringify(blocked)}\r\n\r\n` } });
  const { error } = await ask();
  expect(error).toMatchObject({ code: "provider_rejected", accepted: "yes" });
  expect((error as Error).message).toContain("prohibited content");
});

it("a malformed call by the model ends the answer and is reported", async () => {
  const { simulator, ask } = await build();
  simulator.script({ text: ["I look."], finishReason: "MALFORMED_FUNCTION_CALL" });
  const { text, error } = await ask();
  expect(text).toBe("I look.");
  expect(error).toMatchObject({
    code: "provider_interrupted",
    accepted: "yes",
    message: expect.stringContaining("tool call"),
  });
});

it("a Gemini model draws in its answer, from text and pictures, and an answer without a picture is a refusal", async () => {
  const { simulator, ask } = await build();
  const files = new Map([["one", buildFile("one.png", "image/png", pixel)]]);
  const input = { prompt: "a fox", images: ["asset:one"], aspectRatio: "16:9", imageSize: "2K" };
  const request = media("image", "gemini-3.1-flash-image-preview", input, { files });
  const made = await ask(request);
  expect(made.error).toBeNull();
  expect(made.files).toEqual([{ name: "picture-1", mime: "image/png", bytes: pixel }]);
  expect(made.finish).toMatchObject({
    usage: { imageOutputTokens: 1_290, units: { images: "1" } },
  });
  expect(bodyOf(simulator).generationConfig).toEqual({
    responseModalities: ["IMAGE"],
    imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
  });
  simulator.script({ finishReason: "IMAGE_SAFETY" });
  expect((await ask(request)).error).toMatchObject({ code: "provider_rejected", accepted: "yes" });
});

it("Imagen makes the requested number, and filtered pictures are reported", async () => {
  const { simulator, ask } = await build();
  const request = media("image", "imagen-4.0-generate-001", {
    prompt: "a fox",
    sampleCount: 2,
    aspectRatio: "3:4",
  });
  request.model.capabilities = { countField: { name: "sampleCount", most: 4 } };
  const made = await ask(request);
  expect(made.files.map(({ name }) => name)).toEqual(["picture-1", "picture-2"]);
  expect(simulator.posts).toMatchObject([{ path: "/models/imagen-4.0-generate-001:predict" }]);
  expect((await ask({ ...request, input: { prompt: "a fox" } })).files).toHaveLength(1);
  simulator.script({ finishReason: "SAFETY" });
  expect((await ask(request)).error).toMatchObject({
    code: "provider_rejected",
    message: expect.stringContaining("may violate"),
  });
});

it("speech comes as a WAV of its PCM, in the chosen voice", async () => {
  const { simulator, ask } = await build();
  const spoken = await ask(
    media("speech", "gemini-2.5-flash-preview-tts", {
      text: "Hello.",
      voice: "Puck",
      instructions: "Say it softly",
    }),
  );
  expect(spoken.error).toBeNull();
  expect(spoken.files[0]!.bytes!.subarray(0, 4).toString()).toBe("RIFF");
  expect(spoken.files[0]!.bytes!.readUInt32LE(24)).toBe(24_000);
  expect(spoken.finish).toMatchObject({
    usage: { inputTokens: 3, outputTokens: 5, units: { characters: "6" } },
  });
  expect(bodyOf(simulator).generationConfig).toMatchObject({
    speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Puck" } } },
  });
  simulator.script({ finishReason: "PROHIBITED_CONTENT" });
  expect(
    (await ask(media("speech", "gemini-2.5-flash-preview-tts", { text: "No." }))).error,
  ).toMatchObject({ code: "provider_rejected" });
});

it("a text becomes a vector of the requested length", async () => {
  const { ask } = await build();
  const { files, error } = await ask(
    media("embedding", "gemini-embedding-001", { input: "fox", dimensions: 3 }),
  );
  expect(error).toBeNull();
  expect(JSON.parse(files[0]!.bytes!.toString())).toEqual({
    model: "gemini-embedding-001",
    dimensions: 3,
    embedding: [0, 0.1, 0.2],
  });
});

it("a video is one paid call, polled until it is done, and opened with the key in a header", async () => {
  const { simulator, context } = await build();
  const files = new Map([["one", buildFile("one.png", "image/png", pixel)]]);
  const input = {
    prompt: "a fox runs",
    image: "asset:one",
    durationSeconds: "8",
    resolution: "720p",
  };
  const handle = await job.submit(
    buildRequest(media("video", "veo-3.1-generate-preview", input, { files })),
    context,
  );
  expect(handle).toEqual({ id: "models/veo-3.1-generate-preview/operations/op1", urls: {} });
  expect(bodyOf(simulator).parameters).toEqual({
    sampleCount: 1,
    durationSeconds: 8,
    resolution: "720p",
  });
  const states: string[] = [];
  while (states.at(-1) !== "done") states.push((await job.status(handle, context)).state);
  expect(states).toEqual(["running", "done"]);
  const result = await job.result(handle, context);
  expect(result).toMatchObject({
    files: [{ name: "video", mime: "video/mp4", needsKey: true }],
    usage: { units: { videos: "1" } },
  });
  const { url } = result.files[0] as { url: string };
  expect(url).not.toContain(simulator.key);
  const chunks: Uint8Array[] = [];
  for await (const chunk of google.openFile!(url, context)) chunks.push(chunk);
  expect(Buffer.concat(chunks)).toEqual(film);
  expect(simulator.posts).toHaveLength(1);
});

it("the key goes only to the connection's own address", async () => {
  const { context } = await build();
  const other = await build();
  const elsewhere = `${other.simulator.url}/files/film:download?alt=media`;
  const fetch: typeof context.fetch = (address, init) => other.context.fetch(address, init);
  const reading = (async () => {
    for await (const chunk of google.openFile!(elsewhere, { ...context, fetch })) void chunk;
  })();
  await expect(reading).rejects.toMatchObject({ code: "output_unavailable" });
});

it("a failed video, a filtered one and a missing one are each reported as such", async () => {
  const { simulator, attempt, context } = await build();
  const end = async (finishReason: string) => {
    simulator.script({ finishReason });
    const handle = await job.submit(
      buildRequest(media("video", "veo-3.1-generate-preview", { prompt: "a fox" })),
      attempt().context,
    );
    while ((await job.status(handle, context)).state !== "done");
    return job.result(handle, context);
  };
  await expect(end("ERROR")).rejects.toMatchObject({
    code: "provider_interrupted",
    accepted: "yes",
    detail: { final: true },
  });
  await expect(end("SAFETY")).rejects.toMatchObject({
    code: "provider_rejected",
    message: expect.stringContaining("not charged"),
  });
  const lost: JobHandle = { id: "models/veo-3.1-generate-preview/operations/nowhere", urls: {} };
  await expect(job.status(lost, context)).rejects.toMatchObject({
    code: "output_unavailable",
    detail: { gone: true },
  });
  expect(job.handleOf!("models/veo/operations/op1", "", context)).toEqual({
    id: "models/veo/operations/op1",
    urls: {},
  });
  expect(job.handleOf!("models/../operations/op1", "", context)).toBeUndefined();
});

it("a video inside the answer is read from it, and an answer without a video isn't called free", async () => {
  const { simulator, context } = await build();
  const handle = await job.submit(
    buildRequest(media("video", "veo-3.1-generate-preview", { prompt: "a fox" })),
    context,
  );
  const answer = (video: object) => {
    const response = { generateVideoResponse: { generatedSamples: [{ video }] } };
    simulator.interrupt({
      kind: "status",
      status: 200,
      body: { name: handle.id, done: true, response },
    });
    return job.result(handle, context);
  };
  expect((await answer({ encodedVideo: "ZmlsbQ==", encoding: "video/mp4" })).files).toMatchObject([
    { name: "video", bytes: Buffer.from("film") },
  ]);
  await expect(answer({ id: "elsewhere" })).rejects.toMatchObject({
    code: "output_unavailable",
    detail: { final: true, billed: true },
  });
});

it("an answer given twice is read once", async () => {
  const { simulator, ask } = await build();
  const chunk = (text: string, finishReason?: string) =>
    `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...(finishReason && { finishReason }) }] })}\n\n`;
  const body = chunk("one") + chunk(" two", "STOP");
  simulator.script({ fault: { kind: "raw", body: body + body } });
  expect(await ask()).toMatchObject({ text: "one two", error: null, finish: { reason: "stop" } });
});

it("an answer without sound is Google's refusal only if Google counted it", async () => {
  const { simulator, ask } = await build();
  simulator.script({
    fault: { kind: "status", status: 200, body: { message: "Service is warming up" } },
  });
  const speech = media("speech", "gemini-2.5-flash-preview-tts", { text: "No." });
  expect((await ask(speech)).error).toMatchObject({ code: "provider_protocol", accepted: "yes" });
});

it("several inputs are one request, and one file with a packed vector each", async () => {
  const { simulator, ask } = await build();
  const { files, error } = await ask(
    media("embedding", "gemini-embedding-001", { input: ["fox", "badger"], dimensions: 3 }),
  );
  expect(error).toBeNull();
  expect(simulator.posts).toHaveLength(1);
  expect(JSON.parse(files[0]!.bytes!.toString())).toEqual({
    model: "gemini-embedding-001",
    dimensions: 3,
    encoding: "base64",
    embeddings: [expect.any(String), expect.any(String)],
  });
});

const thoughtOf = (parts: readonly AnswerPart[]): string =>
  parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("");

it("a program run at Google is shown with its output, its picture is saved, and both go back while code execution is on", async () => {
  const { simulator, ask } = await build();
  simulator.script({ text: ["one"], toolUses: 2 });
  const { parts, error, finish } = await ask({ input: { codeInterpreter: true } });
  expect(error).toBeNull();
  expect(simulator.posts[0]!.body).toMatchObject({ tools: [{ codeExecution: {} }] });
  expect(thoughtOf(parts)).toContain("```python\nprint(1)\n```");
  expect(thoughtOf(parts)).toContain("```text\n1\n```");
  expect(finish).toMatchObject({ usage: { units: { "code sessions": "1" } } });
  expect(parts.filter(({ type }) => type === "file")).toHaveLength(2);
  const question = { role: "user" as const, parts: [{ type: "text" as const, text: "And?" }] };
  const said = parts.filter(({ type }) => type === "text" || type === "tool-record");
  const turns = [question, { role: "assistant" as const, parts: said as ChatPart[] }, question];
  expect((await ask({ turns, input: { codeInterpreter: true } })).error).toBeNull();
  const [, answer] = (simulator.posts[1]!.body as { contents: { parts: object[] }[] }).contents;
  expect(answer!.parts.flatMap((part) => Object.keys(part))).toEqual([
    "executableCode",
    "codeExecutionResult",
    "executableCode",
    "codeExecutionResult",
    "text",
  ]);
  expect((await ask({ turns })).error).toBeNull();
  expect(JSON.stringify(simulator.posts[2]!.body)).not.toContain("executableCode");
});

it("a program that fails at Google is shown as failed, and the answer continues", async () => {
  const { simulator, ask } = await build();
  simulator.script({ text: ["Sorry"], toolError: "OUTCOME_DEADLINE_EXCEEDED" });
  const { parts, error, text } = await ask({ input: { codeInterpreter: true } });
  expect(error).toBeNull();
  expect(text).toBe("Sorry");
  expect(thoughtOf(parts)).toContain("NameError");
  expect(thoughtOf(parts)).toContain("The code failed: deadline exceeded.");
});

it("Gemini models run code for the price of tokens, and Gemma runs none", async () => {
  const models = await (
    await build({
      models:
        '[{"id": "gemma-3-27b-it", "task": "chat"}, {"id": "gemini-2.5-pro", "task": "chat"}]',
    })
  ).models();
  const of = (id: string) => models.find((model) => model.id === id)!;
  const runs = (id: string) => "codeInterpreter" in (of(id).inputSchema!.properties as object);
  expect([runs("gemini-3.5-flash"), runs("gemma-3-27b-it")]).toEqual([true, false]);
  expect(of("gemini-3.5-flash").toolPrices).toMatchObject([
    { unit: "code session", micros: "0" },
    { unit: "web search", micros: "14000" },
  ]);
  expect(of("gemini-2.5-pro").toolPrices).toContainEqual(
    expect.objectContaining({ unit: "web search", micros: "35000" }),
  );
  expect(of("gemma-3-27b-it").toolPrices).toBeUndefined();
});

it("tokens are counted free of charge, including tools and results", async () => {
  const { simulator, context } = await build();
  const count = await google.countTokens!("gemini-3.5-flash", toolQuestion, context);
  expect(count).toBeGreaterThan(1_000_000);
  expect(simulator.posts).toEqual([]);
});

it("a program's penalties reach Gemini before 2.5, and later models lack them", async () => {
  const passed = { top_k: 5, frequency_penalty: 0.5, presence_penalty: -1 };
  const { simulator, ask } = await build();
  expect((await ask({ passed })).error).toBeNull();
  expect(bodyOf(simulator).generationConfig).toMatchObject({
    topK: 5,
    frequencyPenalty: 0.5,
    presencePenalty: -1,
  });
  for (const id of ["gemini-2.5-flash", "gemini-3.5-flash", "gemini-flash-latest"])
    expect(Object.keys(passed).filter((name) => google.lacksParameter!(id, name))).toEqual([
      "frequency_penalty",
      "presence_penalty",
    ]);
  expect(google.lacksParameter!("gemini-2.0-flash", "frequency_penalty")).toBe(false);
});

it("later instructions become text of the next question, or of one more at the end", async () => {
  const { simulator, ask } = await build();
  const say = (role: "system" | "user" | "assistant", text: string) => ({
    role,
    parts: [{ type: "text" as const, text }],
  });
  const turns = [
    say("system", "Be brief."),
    say("user", "One?"),
    say("system", "Be kind."),
    say("user", "Two?"),
    say("system", "In Italian."),
  ];
  expect((await ask({ turns })).error).toBeNull();
  const body = bodyOf(simulator);
  expect(body.systemInstruction).toEqual({ parts: [{ text: "Be brief." }] });
  const [first, ...later] = ["One?", "Be kind.", "Two?", "In Italian."].map((text) =>
    JSON.stringify(body.contents).indexOf(text),
  );
  expect(first).toBeGreaterThan(0);
  expect(later).toEqual(later.toSorted((a, b) => a - b));
  expect(JSON.stringify(body.contents)).toContain("<system>\\nIn Italian.\\n</system>");
});

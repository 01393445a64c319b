import { expect, it, onTestFinished } from "vitest";
import { startOpenAi } from "../../../../test/simulators/openai.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
} from "../../../../test/support/contracts/attempt.ts";
import type { JobHandle, RunRequest } from "../../adapter.ts";
import { isPassing } from "../../wire/job-errors.ts";
import { openai } from "./adapter.ts";

const job = openai.job!;

async function build() {
  const simulator = await startOpenAi();
  onTestFinished(() => simulator.stop());
  const connection = {
    kind: "openai",
    addresses: { api: simulator.url },
    options: {},
    secret: simulator.key,
  };
  const { context, warnings } = buildContext({ origin: new URL(simulator.url).origin, connection });
  /** Polls the job until it is done. */
  async function states(handle: JobHandle): Promise<string[]> {
    const seen: string[] = [];
    while (seen.at(-1) !== "done") seen.push((await job.status(handle, context)).state);
    return seen;
  }
  return { simulator, context, warnings, states };
}
const chat = (request: Partial<RunRequest> = {}) =>
  buildRequest({
    model: { id: "gpt-5.5-pro", inputSchema: null, capabilities: { reasoning: true } },
    input: { maxOutputTokens: 100, background: true },
    ...request,
  });
const video = (input: RunRequest["input"] = {}, files = new Map()) =>
  buildRequest({
    task: "video",
    model: { id: "sora-2", inputSchema: null, capabilities: {} },
    turns: [],
    input: { prompt: "a fox", ...input },
    files,
  });

it("an answer runs in the background if chosen, or if the model always does", () => {
  const slow = { properties: { background: { default: true } } };
  const goes = (request: Partial<RunRequest>, options = {}) => {
    const { task, model, input } = chat(request);
    return openai.prefersAnswer!(options, {
      task,
      modelId: model.id,
      inputSchema: model.inputSchema,
      input,
    })
      ? "at once"
      : "as a job";
  };
  expect(goes({})).toBe("as a job");
  expect(goes({ input: {} })).toBe("at once");
  expect(goes({ input: {}, model: { id: "m", inputSchema: slow, capabilities: {} } })).toBe(
    "as a job",
  );
  expect(
    goes({ input: { background: false }, model: { id: "m", inputSchema: slow, capabilities: {} } }),
  ).toBe("at once");
  expect(goes({}, { chatApi: "chat completions" })).toBe("at once");
  expect(goes({ task: "image", input: {} })).toBe("at once");
  expect(goes({ task: "video", input: {} })).toBe("as a job");
});

it("a background answer is submitted once, polled, and read whole with its reasoning, calls and sources", async () => {
  const { simulator, context, states } = await build();
  simulator.script({
    text: ["one", " two"],
    reasoning: ["hm"],
    toolCalls: [{ name: "weather", input: { place: "Rome" } }],
  });
  const tools = [
    { name: "weather", description: "", inputSchema: { type: "object", properties: {} } },
  ];
  const handle = await job.submit(
    chat({ tools, input: { background: true, webSearch: true } }),
    context,
  );
  expect(handle.urls).toEqual({ kind: "responses" });
  expect(simulator.posts).toMatchObject([
    { path: "/responses", body: { background: true, store: true, model: "gpt-5.5-pro" } },
  ]);
  expect(simulator.posts[0]!.body).not.toHaveProperty("stream");
  expect(await states(handle)).toEqual(["queued", "running", "done"]);
  const result = await job.result(handle, context);
  expect(result.answerParts).toEqual([
    { type: "reasoning", text: "hm" },
    {
      type: "reasoning",
      text: "",
      providerMetadata: { openai: { itemId: "rs_0", reasoningEncryptedContent: "Z2VoZWlt" } },
    },
    { type: "text", text: "one two" },
    { type: "source", title: "What was found", url: "https://example.org/found" },
    { type: "tool-call", callId: "call_1", name: "weather", input: { place: "Rome" } },
  ]);
  expect(result.result).toMatchObject({
    finishReason: "tool-calls",
    toolCalls: [{ name: "weather", input: { place: "Rome" }, callId: "call_1" }],
    urlCitations: [
      { url: "https://example.org/found", title: "What was found", start_index: 0, end_index: 1 },
    ],
  });
  expect(result.usage).toMatchObject({ outputTokens: 2, reasoningTokens: 1 });
  // The result can be read repeatedly, as after a crash.
  expect(await job.result(handle, context)).toEqual(result);
  expect(simulator.posts).toHaveLength(1);
});

it("settings that the model doesn't take are reported at the submit", async () => {
  const { context, warnings } = await build();
  await job.submit(chat({ input: { background: true, seed: 3 } }), context);
  expect(warnings).toMatchObject([{ feature: "seed" }]);
});

it("a canceled answer is final, and its reasoning up to then may be billed", async () => {
  const { simulator, context } = await build();
  simulator.script({ gate: { name: "held", at: 0 } });
  const handle = await job.submit(chat(), context);
  expect(await job.cancel(handle, context)).toBe(true);
  expect(await job.status(handle, context)).toEqual({ state: "done" });
  await expect(job.result(handle, context)).rejects.toMatchObject({
    detail: { final: true, billed: true },
  });
});

it("an ended answer can't be canceled, and a failed one states the reason", async () => {
  const { simulator, context } = await build();
  const handle = await job.submit(chat(), context);
  simulator.endJob(handle.id);
  expect(await job.cancel(handle, context)).toBe(false);
  simulator.endJob(handle.id, { code: "content_policy_violation", message: "Not this." });
  await expect(job.result(handle, context)).rejects.toMatchObject({
    code: "provider_rejected",
    detail: { final: true, providerMessage: "Not this." },
  });
});

it.each([
  [
    { kind: "reset", at: "request" },
    { code: "outcome_unknown", accepted: "unknown" },
  ],
  [
    { kind: "status", status: 200, body: { ok: true } },
    { code: "outcome_unknown", accepted: "unknown" },
  ],
  [{ kind: "broken-json" }, { code: "outcome_unknown", accepted: "unknown" }],
  [
    { kind: "status", status: 429, body: { error: { message: "", code: "rate_limit_exceeded" } } },
    { code: "provider_rate_limited", accepted: "no" },
  ],
  [{ kind: "html" }, { code: "provider_protocol", accepted: "unknown" }],
] as const)("a submit that meets %j is sent once", async (fault, error) => {
  const { simulator, context } = await build();
  simulator.script({ fault });
  await expect(job.submit(chat(), context)).rejects.toMatchObject(error);
  expect(simulator.posts).toHaveLength(1);
});

it("a missing job is final, and an ID tells the kind of its job", async () => {
  const { context } = await build();
  const handle = job.handleOf!("resp_none", "gpt-5.5", context)!;
  await expect(job.status(handle, context)).rejects.toMatchObject({
    code: "output_unavailable",
    detail: { gone: true },
  });
  expect(job.handleOf!("video_1", "sora-2", context)).toEqual({
    id: "video_1",
    urls: { kind: "videos" },
  });
  expect(job.handleOf!("../files", "sora-2", context)).toBeUndefined();
});

it("a video is sent as a form with its first frame, and its file opens with the key", async () => {
  const { simulator, context, states } = await build();
  const files = new Map([["1", buildFile("first.png", "image/png", "png")]]);
  const handle = await job.submit(
    video({ duration: "8", size: "1280x720", image: "asset:1" }, files),
    context,
  );
  expect(simulator.posts).toMatchObject([
    {
      path: "/videos",
      body: {
        model: "sora-2",
        prompt: "a fox",
        seconds: "8",
        size: "1280x720",
        input_reference: { name: "first.png", bytes: 3 },
      },
    },
  ]);
  expect(await states(handle)).toEqual(["queued", "running", "done"]);
  const { files: made, usage } = await job.result(handle, context);
  expect(usage).toEqual({ units: { seconds: "8" } });
  expect(made).toEqual([
    {
      name: "video",
      mime: "video/mp4",
      url: `${simulator.url}/videos/video_1/content`,
      needsKey: true,
    },
  ]);
  const chunks: Uint8Array[] = [];
  for await (const chunk of openai.openFile!((made[0] as { url: string }).url, context))
    chunks.push(chunk);
  expect(Buffer.concat(chunks).subarray(4, 8).toString()).toBe("ftyp");
});

it("the key is sent only with files at the connection's own address", async () => {
  const { context, simulator } = await build();
  const keys: (string | null)[] = [];
  const fetch: typeof context.fetch = async (_url, init) => {
    keys.push(new Headers(init?.headers).get("authorization"));
    return new Response("x");
  };
  for (const url of [
    `${simulator.url}/videos/video_1/content`,
    "https://files.test/v1/videos/video_1/content",
  ]) {
    for await (const _ of openai.openFile!(url, { ...context, fetch }));
  }
  expect(keys).toEqual([`Bearer ${simulator.key}`, null]);
});

it("a video in progress is canceled by deleting it, and a failed one isn't billed", async () => {
  const { simulator, context } = await build();
  simulator.script({ gate: { name: "held", at: 0 } });
  const handle = await job.submit(video(), context);
  expect(await job.cancel(handle, context)).toBe(true);
  await expect(job.status(handle, context)).rejects.toMatchObject({ detail: { gone: true } });

  const second = await build();
  const other = await job.submit(video(), second.context);
  second.simulator.endJob(other.id, { code: "moderation_blocked", message: "Not this." });
  expect(await job.cancel(other, second.context)).toBe(false);
  const failure = await job.result(other, second.context).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "provider_rejected", detail: { final: true } });
  expect(failure).not.toHaveProperty("detail.billed");
});

it("an answer that isn't a response doesn't end a background answer", async () => {
  const { simulator, context } = await build();
  const handle = await job.submit(chat(), context);
  for (const question of [job.status, job.result])
    for (const body of [{}, { message: "Service is warming up" }, { status: "paused" }]) {
      simulator.interrupt({ kind: "status", status: 200, body });
      const error: unknown = await question(handle, context).catch((thrown: unknown) => thrown);
      expect([isPassing(error), error]).toEqual([
        true,
        expect.objectContaining({ code: "provider_protocol" }),
      ]);
    }
});

it("searches of a background answer are counted, because they are billed; opened pages aren't", async () => {
  const { simulator, context } = await build();
  const handle = await job.submit(chat(), context);
  const search = (id: string, type?: string) => ({
    type: "web_search_call",
    id,
    status: "completed",
    ...(type && { action: { type } }),
  });
  const output = [search("ws_1"), search("ws_2", "search"), search("ws_3", "open_page")];
  const body = {
    id: handle.id,
    status: "completed",
    output,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
  simulator.interrupt({ kind: "status", status: 200, body });
  expect((await job.result(handle, context)).usage).toEqual({
    inputTokens: 10,
    outputTokens: 5,
    units: { "web searches": "2" },
  });
});

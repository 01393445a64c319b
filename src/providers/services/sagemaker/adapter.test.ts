import { expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import { pixel } from "../../../../test/simulators/bedrock/invoke.ts";
import { buildContext, buildRequest, collect } from "../../../../test/support/contracts/attempt.ts";
import { startSageMakerWithBucket } from "../../../../test/support/services/sagemaker.ts";
import { sagemaker } from "./adapter.ts";

async function build(options: JsonObject = {}) {
  const started = await startSageMakerWithBucket();
  const connection = {
    ...started.connection,
    options: { ...started.connection.options, ...options },
  };
  const { context, warnings } = buildContext({
    origin: started.sagemaker.url,
    connection,
    outbound: { privateOrigins: started.origins },
  });
  const requestOf = (model: string, task: Task, input: JsonObject) =>
    buildRequest({ task, model: { id: model, inputSchema: null, capabilities: {} }, input });
  const make = (model: string, task: Task, input: JsonObject) =>
    collect(sagemaker.answer!(requestOf(model, task, input), context));
  return { ...started, context, warnings, requestOf, make };
}

it("endpoints in service are models, each with the format that a person stated", async () => {
  const { context, sagemaker: simulator } = await build();
  const models = new Map<string, string[]>();
  for await (const page of sagemaker.models(context))
    for (const { id, tasks, price } of page) {
      models.set(id, tasks);
      expect(price).toBeNull();
    }
  expect(Object.fromEntries(models)).toEqual({
    "sim-vllm": ["chat"],
    "sim-tgi": ["chat"],
    "sim-painter": ["image"],
    "sim-anything": ["other"],
    "sim-async-painter": ["image"],
  });
  expect(simulator.posts).toEqual([]);
});

it("an unreadable endpoint list is reported with its field", async () => {
  for (const endpoints of ["sim-tgi = tgi", "sim-tgi: tgi async", "sim-tgi: vllm"]) {
    const { context } = await build({ endpoints });
    await expect(sagemaker.check(context)).rejects.toMatchObject({
      code: "provider_invalid_input",
      detail: { field: "endpoints" },
    });
  }
});

it("TGI's tokens are the answer, with its own counts, and its limit ends it", async () => {
  const { sagemaker: simulator, make } = await build();
  simulator.script({ text: ["naïve ", "日本語 ", "end"], splitBytes: 1 });
  const answer = await make("sim-tgi", "chat", { maxOutputTokens: 2, temperature: 0 });
  expect(answer).toMatchObject({
    error: null,
    text: "naïve 日本語 ",
    finish: { reason: "length", usage: { inputTokens: 2, outputTokens: 2 } },
  });
  expect(simulator.posts).toMatchObject([
    { body: { inputs: "hello there", parameters: { do_sample: false } } },
  ]);
});

it.each([
  ["a frame with a wrong checksum", { kind: "nan", after: 1 }, "provider_protocol"],
  ["a torn frame", { kind: "half-character", after: 1 }, "provider_interrupted"],
  ["a clean end without its last token", { kind: "no-finish", after: 1 }, "provider_interrupted"],
  [
    "an exception frame",
    { kind: "error-event", after: 1, error: { type: "ModelStreamError", Message: "Oh" } },
    "provider_interrupted",
  ],
] as const)("TGI: %s keeps the text so far", async (_when, fault, code) => {
  const { sagemaker: simulator, make } = await build();
  simulator.script({ text: ["one", " two"], fault });
  expect(await make("sim-tgi", "chat", {})).toMatchObject({
    text: "one",
    finish: undefined,
    error: { code, accepted: "yes" },
  });
  expect(simulator.posts).toHaveLength(1);
});

it("a JumpStart image model is asked for JPEG under its own names", async () => {
  const { sagemaker: simulator, make } = await build();
  const input = {
    prompt: "a boat",
    negativePrompt: "rain",
    width: 64,
    height: 64,
    n: 2,
    steps: 4,
    guidanceScale: 7,
    seed: 1,
  };
  const answer = await make("sim-painter", "image", input);
  expect(answer).toMatchObject({ error: null, finish: { usage: { units: { images: "2" } } } });
  expect(answer.files.map(({ bytes }) => bytes?.toString("base64"))).toEqual([pixel, pixel]);
  expect(simulator.posts).toMatchObject([
    { state: "answered", body: { num_images_per_prompt: 2, negative_prompt: "rain" } },
  ]);
});

it("an endpoint with an unknown format gets the input unchanged, and its answer is saved unchanged", async () => {
  const { sagemaker: simulator, make } = await build();
  const told = await make("sim-anything", "other", { anything: ["goes"] });
  expect(told).toMatchObject({
    error: null,
    files: [{ name: "answer.json" }],
    finish: { result: { answer: 42 } },
  });
  expect(simulator.posts).toMatchObject([{ body: { anything: ["goes"] } }]);
  const sound = await build();
  sound.sagemaker.script({ text: "sound" });
  expect(await sound.make("sim-anything", "other", {})).toMatchObject({
    error: null,
    files: [{ mime: "audio/wav" }],
  });
});

it("an asynchronous endpoint reads from the bucket and writes into it, with one POST", async () => {
  const { sagemaker: simulator, s3, context, requestOf } = await build();
  expect(
    sagemaker.prefersAnswer!(context.connection.options, {
      task: "image",
      modelId: "sim-async-painter",
      inputSchema: null,
      input: {},
    }),
  ).toBe(false);
  expect(
    sagemaker.prefersAnswer!(context.connection.options, {
      task: "image",
      modelId: "sim-painter",
      inputSchema: null,
      input: {},
    }),
  ).toBe(true);
  const handle = await sagemaker.job!.submit(
    requestOf("sim-async-painter", "image", { prompt: "later" }),
    context,
  );
  expect(s3.keys()).toEqual(["in/attempt-1.json"]);
  expect(await sagemaker.job!.status(handle, context)).toEqual({ state: "running" });
  await simulator.finish(0);
  expect(await sagemaker.job!.status(handle, context)).toEqual({ state: "done" });
  const { files } = await sagemaker.job!.result(handle, context);
  expect(files).toMatchObject([{ bytes: Buffer.from(pixel, "base64") }]);
  expect(simulator.posts).toMatchObject([
    { path: "/endpoints/sim-async-painter/async-invocations", state: "answered" },
  ]);
});

it("an asynchronous endpoint's failure is final, and the person sees the reason", async () => {
  const { sagemaker: simulator, context, requestOf } = await build();
  const handle = await sagemaker.job!.submit(
    requestOf("sim-async-painter", "image", { prompt: "later" }),
    context,
  );
  await simulator.finish(0, "CUDA out of memory");
  expect(await sagemaker.job!.status(handle, context)).toEqual({ state: "done" });
  const failure = {
    code: "provider_overloaded",
    detail: { final: true },
    message: expect.stringContaining("CUDA out of memory"),
  };
  await expect(sagemaker.job!.result(handle, context)).rejects.toMatchObject(failure);
});

it("an asynchronous endpoint's input is removed once its job is over; the rest of the bucket stays", async () => {
  const { sagemaker: simulator, s3, context, requestOf } = await build();
  await s3.put("in/another.json", "application/json", Buffer.from("{}"));
  const handle = await sagemaker.job!.submit(
    requestOf("sim-async-painter", "image", { prompt: "later" }),
    context,
  );
  await sagemaker.job!.status(handle, context);
  expect(s3.keys()).toContain("in/attempt-1.json");
  await simulator.finish(0, "CUDA out of memory");
  await sagemaker.job!.result(handle, context).catch(() => undefined);
  expect(s3.keys()).toContain("in/another.json");
  expect(s3.keys()).not.toContain("in/attempt-1.json");
});

it("a key without delete rights leaves the input, and the result still arrives", async () => {
  const { sagemaker: simulator, s3, context, requestOf } = await build();
  const handle = await sagemaker.job!.submit(
    requestOf("sim-async-painter", "image", { prompt: "later" }),
    context,
  );
  await simulator.finish(0);
  s3.failNext({ operation: "DeleteObject", mode: "refuse", status: 403, code: "AccessDenied" });
  expect((await sagemaker.job!.result(handle, context)).files).toHaveLength(1);
  expect(s3.keys()).toContain("in/attempt-1.json");
});

it("an asynchronous endpoint without output after seven hours is overdue, which ends no job", async () => {
  const { sagemaker: simulator, context, requestOf } = await build();
  const handle = await sagemaker.job!.submit(
    requestOf("sim-async-painter", "image", { prompt: "later" }),
    context,
  );
  // A signature is valid for a few minutes, so the clock is real and the handle is old.
  const hour = 60 * 60_000;
  const longAgo = {
    ...handle,
    urls: {
      ...handle.urls,
      writesUntil: String(Number(handle.urls.writesUntil) - 7 * hour - 60_000),
    },
  };
  expect(await sagemaker.job!.status(handle, context)).toEqual({ state: "running" });
  const overdue = sagemaker.job!.status(longAgo, context);
  await expect(overdue).rejects.toMatchObject({
    code: "output_unavailable",
    detail: { overdue: true },
  });
  await expect(overdue).rejects.not.toMatchObject({ detail: { final: true } });
  await simulator.finish(0);
  expect(await sagemaker.job!.status(longAgo, context)).toEqual({ state: "done" });
});

it("if the bucket refuses the input, nothing is sent to the endpoint", async () => {
  const { sagemaker: simulator, s3, context, requestOf } = await build();
  s3.failNext({ operation: "PutObject", mode: "refuse", status: 403, code: "AccessDenied" });
  const asked = sagemaker.job!.submit(
    requestOf("sim-async-painter", "image", { prompt: "later" }),
    context,
  );
  await expect(asked).rejects.toMatchObject({ code: "provider_forbidden", accepted: "no" });
  expect(simulator.posts).toEqual([]);
});

it("a connection that breaks during the upload to the bucket has sent nothing paid", async () => {
  const { sagemaker: simulator, s3, context, requestOf } = await build();
  s3.interrupt({ kind: "reset", at: "request" });
  const asked = sagemaker.job!.submit(
    requestOf("sim-async-painter", "image", { prompt: "later" }),
    context,
  );
  await expect(asked).rejects.toMatchObject({ code: "provider_unreachable", accepted: "no" });
  expect(simulator.posts).toEqual([]);
});

it("a container's exception frame reaches the person", async () => {
  const { sagemaker: simulator, make } = await build();
  const error = {
    type: "ModelStreamError",
    Message: "The container ran out of memory.",
    ErrorCode: "StreamBroken",
  };
  simulator.script({ text: ["one"], fault: { kind: "error-event", after: 1, error } });
  expect((await make("sim-tgi", "chat", {})).error).toMatchObject({
    detail: { providerMessage: "The container ran out of memory.", providerCode: "StreamBroken" },
  });
});

it("a key that may read but not list the bucket sees a failure, and the job continues", async () => {
  const { sagemaker: simulator, s3, context, requestOf } = await build();
  s3.hideMissing();
  const handle = await sagemaker.job!.submit(
    requestOf("sim-async-painter", "image", { prompt: "later" }),
    context,
  );
  expect(await sagemaker.job!.status(handle, context)).toEqual({ state: "running" });
  await simulator.finish(0, "CUDA out of memory");
  expect(await sagemaker.job!.status(handle, context)).toEqual({ state: "done" });
  await expect(sagemaker.job!.result(handle, context)).rejects.toMatchObject({
    code: "provider_overloaded",
    detail: { final: true },
  });
});

it("an output without pictures is saved unchanged and not read again", async () => {
  const { s3, context, requestOf } = await build();
  const handle = await sagemaker.job!.submit(
    requestOf("sim-async-painter", "image", { prompt: "later" }),
    context,
  );
  for (const text of ['{"something":"else"}', "no JSON"]) {
    await s3.put("out/0.out", "application/json", Buffer.from(text));
    const { files, result } = await sagemaker.job!.result(handle, context);
    expect(files).toMatchObject([{ name: "answer", bytes: Buffer.from(text) }]);
    expect(result).toEqual({
      note: "The endpoint returned something other than pictures. It is saved unchanged.",
    });
  }
});

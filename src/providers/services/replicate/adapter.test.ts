import { expect, it, onTestFinished } from "vitest";
import { startReplicate } from "../../../../test/simulators/replicate.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
} from "../../../../test/support/contracts/attempt.ts";
import { keepsTheJobContract } from "../../../../test/support/contracts/job-contract.ts";
import { keepsTheMediaContract } from "../../../../test/support/contracts/media-contract.ts";
import type {
  JobHandle,
  JobStatus,
  ModelFacts,
  OpenConnection,
  RunRequest,
} from "../../adapter.ts";
import { replicate } from "./adapter.ts";

const job = replicate.job!;
const version = "5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa";
const picture = "11111111-1111-4111-8111-111111111111";

async function start(options: OpenConnection["options"] = {}) {
  const simulator = await startReplicate();
  const connection = {
    kind: "replicate",
    addresses: { api: simulator.url },
    options,
    secret: simulator.key,
  };
  return { simulator, origin: simulator.url, connection };
}
async function build(options: OpenConnection["options"] = {}) {
  const { simulator, origin, connection } = await start(options);
  onTestFinished(() => simulator.stop());
  const { context } = buildContext({ origin, connection });
  async function follow(handle: JobHandle): Promise<JobStatus[]> {
    const seen: JobStatus[] = [];
    while (seen.at(-1)?.state !== "done") seen.push(await job.status(handle, context));
    return seen;
  }
  async function listed(): Promise<Map<string, ModelFacts>> {
    const models = new Map<string, ModelFacts>();
    for await (const page of replicate.models(context))
      for (const model of page) models.set(model.id, model);
    return models;
  }
  return { simulator, context, follow, listed };
}
const toRequest = (id: string, input: RunRequest["input"] = {}, schema: object | null = null) =>
  buildRequest({
    task: "image",
    model: { id, inputSchema: schema as RunRequest["model"]["inputSchema"], capabilities: {} },
    turns: [],
    input: { prompt: "a fox", ...input },
    files: new Map([[picture, buildFile("fox.png", "image/png", "png bytes")]]),
  });
const official = toRequest("forest/flux");
const community = toRequest("lab/sketch", { seed: 3 }, { type: "object", "x-version": version });

keepsTheMediaContract({
  adapter: replicate,
  start: () => start(),
  requests: [
    ["an official model", official],
    ["a picture that starts from another", toRequest("forest/flux", { image: `asset:${picture}` })],
    ["a version of a community model", community],
  ],
});

it("a prediction is submitted once, polled with its log and progress, and its file read", async () => {
  const { simulator, context, follow } = await build();
  const handle = await job.submit(community, context);
  expect(simulator.posts).toMatchObject([
    { path: "/v1/predictions", body: { version, input: { prompt: "a fox", seed: 3 } } },
  ]);
  const seen = await follow(handle);
  expect(seen.map(({ state }) => state)).toEqual(["queued", "running", "done"]);
  expect(seen[1]).toMatchObject({
    progress: { done: 8, total: 20 },
    logs: [{ message: "Using seed: 7" }, {}],
  });
  const result = await job.result(handle, context);
  expect(result).toEqual({
    files: [
      {
        name: "out-0.png",
        url: "https://replicate.delivery/xezq/abc/out-0.png",
        expiresAt: Date.parse("2026-11-02T11:00:00Z"),
      },
    ],
    result: { output: [{ output: 0 }] },
    usage: { units: { "compute seconds": "1.25", images: "1" } },
  });
  expect(simulator.posts).toHaveLength(1);
});

it("a file is uploaded once, as its address, in an unpaid request", async () => {
  const { simulator, context } = await build();
  await job.submit(toRequest("forest/flux", { image: `asset:${picture}` }), context);
  expect(simulator.uploads).toEqual([{ name: "fox.png", type: "image/png", bytes: 9 }]);
  expect(simulator.posts).toMatchObject([
    { body: { input: { prompt: "a fox", image: `${simulator.url}/v1/files/file1` } } },
  ]);
});

it("a file missing from the run is reported before anything is sent", async () => {
  const { simulator, context } = await build();
  const missing = toRequest("forest/flux", { image: "asset:22222222-2222-4222-8222-222222222222" });
  await expect(job.submit(missing, context)).rejects.toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
    detail: { field: "image" },
  });
  expect(simulator.connections()).toBe(0);
});

it("an invalid field is named as in the form", async () => {
  const { context } = await build();
  const wrong = toRequest("forest/flux", { style: "baroque" });
  await expect(job.submit(wrong, context)).rejects.toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
    detail: { field: "style" },
  });
});

it.each([
  ["NSFW content detected. Try running it again.", "provider_rejected"],
  ["CUDA out of memory.", "provider_overloaded"],
  ["list index out of range", "provider_interrupted"],
])("a failed prediction (%s) is final", async (error, code) => {
  const { simulator, context } = await build();
  const handle = await job.submit(official, context);
  simulator.set(handle.id, { status: "failed", error });
  expect(await job.status(handle, context)).toMatchObject({ state: "done" });
  await expect(job.result(handle, context)).rejects.toMatchObject({
    code,
    accepted: "yes",
    detail: { final: true, providerMessage: error },
  });
});

it("a cancel ends a prediction in progress and says if it was too late", async () => {
  const { context, follow } = await build();
  const handle = await job.submit(official, context);
  expect(await job.cancel(handle, context)).toBe(true);
  await expect(job.result(handle, context)).rejects.toMatchObject({ detail: { final: true } });
  const late = await build();
  const done = await job.submit(official, late.context);
  await late.follow(done);
  expect(await job.cancel(done, late.context)).toBe(false);
  expect(await job.cancel({ id: "pred0000000000000000000099", urls: {} }, context)).toBe(false);
  expect((await follow(handle)).at(-1)).toMatchObject({ state: "done" });
});

it("a missing job is reported as missing, and a foreign ID names no job", async () => {
  const { context } = await build();
  await expect(
    job.status({ id: "pred0000000000000000000099", urls: {} }, context),
  ).rejects.toMatchObject({
    code: "output_unavailable",
    detail: { gone: true },
  });
  expect(job.handleOf!("../account", "lab/sketch", context)).toBeUndefined();
});

it("outputs of every shape are read: text in pieces, objects with files, data", async () => {
  const { simulator, context } = await build();
  const handle = await job.submit(official, context);
  const read = async (output: unknown) => {
    simulator.set(handle.id, { status: "succeeded", output });
    const { files, result } = await job.result(handle, context);
    return { files: files.map(({ name }) => name), result };
  };
  expect(await read(["Once ", "upon"])).toEqual({ files: [], result: { text: "Once upon" } });
  expect(await read("https://replicate.delivery/a/b/film.mp4")).toEqual({
    files: ["film.mp4"],
    result: { output: 0 },
  });
  expect(await read({ mask: "data:image/png;base64,aGk=", score: 0.5 })).toEqual({
    files: ["output"],
    result: { mask: { output: 0 }, score: 0.5 },
  });
});

it("models come from the collections and the connection's additions, each with the form of its version", async () => {
  const { listed } = await build({
    models: "lab/sketch, lab/film=video",
    collections: "odd-things",
    searches: "flux",
  });
  const models = await listed();
  expect([...models.keys()]).toEqual(["forest/flux", "lab/sketch", "lab/film", "lab/odd"]);
  expect(models.get("forest/flux")!.tasks).toEqual(["image", "edit"]);
  expect(models.get("lab/film")!.tasks).toEqual(["video"]);
  expect(models.get("lab/odd")!.tasks).toEqual(["other"]);
  expect(models.get("forest/flux")!.inputSchema).not.toHaveProperty("x-version");
  expect(models.get("lab/sketch")!.inputSchema).toMatchObject({
    "x-version": version,
    required: ["prompt"],
    properties: {
      prompt: { "x-order": 0 },
      image: { "x-file": "image", "x-order": 1 },
      style: { enum: ["plain", "comic"], default: "plain" },
    },
    examples: [{ prompt: "a fox in the reeds", image: expect.any(String), style: "comic" }],
  });
});

it("a model has its cover as a sample, unless it only writes or speaks", async () => {
  const { listed } = await build({
    models: "lab/film=video, lab/voice=speech",
    collections: "odd-things",
  });
  const models = await listed();
  const sampleOf = (id: string) => models.get(id)!.capabilities.sample;
  expect(sampleOf("forest/flux")).toEqual({ url: "https://replicate.delivery/pbxt/flux.png" });
  expect(sampleOf("lab/odd")).toEqual({ url: "https://replicate.delivery/pbxt/odd.png" });
  expect(sampleOf("lab/voice")).toBeUndefined();
  expect(sampleOf("lab/film"), "without a cover").toBeUndefined();
});

it.each([
  [{ models: "nobody" }, "options.models"],
  [{ models: "lab/nothing" }, "options.models"],
  [{ models: "lab/sketch=chat" }, "options.models"],
  [{ collections: "nothing" }, "options.collections"],
])("a missing model (%j) is reported at its field", async (options, field) => {
  const { listed } = await build(options);
  await expect(listed()).rejects.toMatchObject({ code: "invalid_input", detail: { field } });
});

keepsTheJobContract({
  adapter: replicate,
  async start() {
    const { origin, ...started } = await start();
    return { ...started, origins: [origin] };
  },
  requests: [["a prediction", official]],
  lost: { id: "pred0000000000000000000099", urls: {} },
  wrongKey: "wrong-key-of-somebody",
});

import { expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { pixel } from "../../../../test/simulators/bedrock/invoke.ts";
import { makeMp4 } from "../../../../test/simulators/fal/media.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
} from "../../../../test/support/contracts/attempt.ts";
import { startBedrockWithBucket } from "../../../../test/support/services/bedrock.ts";
import type { ProducedFile } from "../../adapter.ts";
import { isPassing } from "../../wire/job-errors.ts";
import { bedrock } from "./adapter.ts";

async function build(options: JsonObject = {}) {
  const started = await startBedrockWithBucket();
  const connection = {
    ...started.connection,
    options: { ...started.connection.options, ...options },
  };
  const { context } = buildContext({
    origin: started.bedrock.url,
    connection,
    outbound: { privateOrigins: started.origins },
  });
  const film = (input: JsonObject, model = "amazon.nova-reel-v1:1") => {
    const files = new Map([
      ["frame", buildFile("frame.png", "image/png", Buffer.from(pixel, "base64"))],
    ]);
    return bedrock.job!.submit(
      buildRequest({
        task: "video",
        model: { id: model, inputSchema: null, capabilities: {} },
        input,
        files,
      }),
      context,
    );
  };
  return { ...started, context, film };
}

const filmOf = (id: string) => Buffer.from(makeMp4(id, 6).bytes);

async function read(
  file: ProducedFile | undefined,
  open: (url: string) => AsyncIterable<Uint8Array>,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of open(file && "url" in file ? file.url : "")) chunks.push(chunk);
  return Buffer.concat(chunks);
}

it("a video is started with our token, polled, and read from the bucket with the same key", async () => {
  const { bedrock: simulator, context, film } = await build();
  simulator.async.hold();
  const handle = await film({ prompt: "a boat", durationSeconds: 6, seed: 3 });
  expect(simulator.posts).toMatchObject([
    { path: "/async-invoke", body: { clientRequestToken: "attempt-1" } },
  ]);
  expect(await bedrock.job!.status(handle, context)).toEqual({ state: "running" });
  await simulator.async.finish(simulator.async.jobs[0]!);
  expect(await bedrock.job!.status(handle, context)).toEqual({ state: "done" });
  const { files, usage } = await bedrock.job!.result(handle, context);
  expect(usage).toEqual({ units: { videos: "1" } });
  expect(await read(files[0], (url) => bedrock.openFile!(url, context))).toEqual(filmOf(handle.id));
  expect(await bedrock.job!.cancel(handle, context)).toBe(false);
  expect(simulator.posts).toHaveLength(1);
});

it("a first frame, multiple shots and Luma's keyframes are sent as each model expects them", async () => {
  const reel = "amazon.nova-reel-v1:1";
  const keyframes = {
    firstFrame: "asset:frame",
    lastFrame: "asset:frame",
    duration: "9s",
    resolution: "540p",
    aspectRatio: "21:9",
    loop: true,
  };
  for (const [model, input] of [
    [reel, { prompt: "a boat", image: "asset:frame" }],
    [reel, { prompt: "a long boat", durationSeconds: 30 }],
    ["luma.ray-v2:0", { prompt: "a loop", ...keyframes }],
  ] as const) {
    const { bedrock: simulator, film } = await build();
    await film(input, model);
    expect(simulator.posts).toMatchObject([{ state: "answered" }]);
  }
  const { bedrock: simulator, film } = await build();
  await expect(
    film({ prompt: "both", image: "asset:frame", durationSeconds: 30 }),
  ).rejects.toMatchObject({
    accepted: "no",
    detail: { field: "image" },
  });
  expect(simulator.posts).toEqual([]);
});

it("without a bucket nothing is sent, and the error says what is missing", async () => {
  const { bedrock: simulator, film } = await build({ outputBucket: "" });
  await expect(film({ prompt: "a boat" })).rejects.toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
    message: expect.stringContaining("S3 bucket"),
  });
  expect(simulator.posts).toEqual([]);
});

it("a blocked or failed video is final, and the person sees the reason", async () => {
  for (const [failureMessage, code] of [
    ["The generated video has been blocked by our content filters.", "provider_rejected"],
    ["Internal error", "provider_interrupted"],
  ] as const) {
    const { bedrock: simulator, context, film } = await build();
    simulator.async.hold();
    const handle = await film({ prompt: "a boat" });
    await simulator.async.finish(simulator.async.jobs[0]!, failureMessage);
    expect(await bedrock.job!.status(handle, context)).toEqual({ state: "done" });
    const failure = {
      code,
      accepted: "yes",
      detail: { final: true },
      message: expect.stringContaining(failureMessage),
    };
    await expect(bedrock.job!.result(handle, context)).rejects.toMatchObject(failure);
  }
});

it("a job is found by its token on any page, and an unknown token finds none", async () => {
  const { bedrock: simulator, context, connection, origins, film } = await build();
  const handle = await film({ prompt: "first" });
  const other = buildContext({
    origin: simulator.url,
    connection,
    outbound: { privateOrigins: origins },
  }).context;
  for (const clientToken of ["attempt-2", "attempt-3"]) {
    const { context: next } = buildContext({
      origin: simulator.url,
      connection,
      outbound: { privateOrigins: origins },
    });
    const model = { id: "amazon.nova-reel-v1:1", inputSchema: null, capabilities: {} };
    await bedrock.job!.submit(
      buildRequest({ task: "video", model, input: { prompt: clientToken } }),
      { ...next, clientToken },
    );
  }
  const since = Date.now() - 60_000;
  expect(await bedrock.job!.find!({ clientToken: "attempt-1", since }, other)).toEqual(handle);
  expect(await bedrock.job!.find!({ clientToken: "nobody", since }, other)).toBeUndefined();
  expect(
    await bedrock.job!.find!({ clientToken: "attempt-1", since: Date.now() + 60_000 }, context),
  ).toBeUndefined();
});

it("only job IDs are accepted, and another model's job doesn't belong to this run", async () => {
  const { context, film } = await build();
  const { id } = await film({ prompt: "a boat" });
  expect(bedrock.job!.handleOf!("job-1", "amazon.nova-reel-v1:1", context)).toBeUndefined();
  const named = bedrock.job!.handleOf!(id, "amazon.nova-reel-v1:1", context)!;
  expect(await bedrock.job!.status(named, context)).toEqual({ state: "done" });
  const foreign = bedrock.job!.handleOf!(id, "luma.ray-v2:0", context)!;
  await expect(bedrock.job!.status(foreign, context)).rejects.toMatchObject({
    detail: { final: true },
  });
});

it("a bucket in another region is read there", async () => {
  const { bedrock: simulator, s3, context, film } = await build();
  const handle = await film({ prompt: "a boat" });
  const { files } = await bedrock.job!.result(handle, context);
  const elsewhere = {
    ...context.connection,
    options: { ...context.connection.options, region: "us-test-2" },
  };
  // Bedrock's runtime isn't called for the file, so only the bucket sees the other region.
  expect(
    await read(files[0], (url) => bedrock.openFile!(url, { ...context, connection: elsewhere })),
  ).toEqual(filmOf(handle.id));
  expect(s3.requests.map(({ status }) => status)).toEqual([400, 200]);
  expect(simulator.posts).toHaveLength(1);
});

it("an API key, which can't read the bucket, starts no video and is never shown to S3", async () => {
  const started = await build({ signIn: "API key" });
  const secret = JSON.stringify({ apiKey: started.bedrock.apiKey });
  const context = { ...started.context, connection: { ...started.context.connection, secret } };
  const model = { id: "amazon.nova-reel-v1:1", inputSchema: null, capabilities: {} };
  const begun = bedrock.job!.submit(
    buildRequest({ task: "video", model, input: { prompt: "a boat" } }),
    context,
  );
  await expect(begun).rejects.toMatchObject({
    code: "provider_auth",
    accepted: "no",
    message: expect.stringContaining("access key"),
  });
  const opened = Array.fromAsync(
    bedrock.openFile!(`s3://${started.s3.bucket}/bottega/output.mp4`, context),
  );
  await expect(opened).rejects.toMatchObject({ code: "provider_auth" });
  expect([started.bedrock.posts, started.s3.requests]).toEqual([[], []]);
});

it("an answer that isn't a job doesn't end the job", async () => {
  const { bedrock: simulator, context, film } = await build();
  const handle = await film({ prompt: "a boat", durationSeconds: 6 });
  for (const question of [bedrock.job!.status, bedrock.job!.result])
    for (const body of [{}, { message: "Service is warming up" }, { status: "Paused" }]) {
      simulator.interrupt({ kind: "status", status: 200, body });
      const error: unknown = await question(handle, context).catch((thrown: unknown) => thrown);
      expect([isPassing(error), error]).toEqual([
        true,
        expect.objectContaining({ code: "provider_protocol" }),
      ]);
    }
});

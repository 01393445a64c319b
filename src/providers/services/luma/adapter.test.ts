import { expect, it, onTestFinished } from "vitest";
import { startLuma } from "../../../../test/simulators/luma.ts";
import { buildContext, buildRequest } from "../../../../test/support/contracts/attempt.ts";
import { keepsTheJobContract } from "../../../../test/support/contracts/job-contract.ts";
import { keepsTheMediaContract } from "../../../../test/support/contracts/media-contract.ts";
import type { JobHandle, RunRequest } from "../../adapter.ts";
import { luma } from "./adapter.ts";

const job = luma.job!;

async function start() {
  const simulator = await startLuma();
  const connection = {
    kind: "luma",
    addresses: { api: simulator.url },
    options: {},
    secret: simulator.key,
  };
  return { simulator, origin: simulator.url, connection };
}
async function build() {
  const { simulator, origin, connection } = await start();
  onTestFinished(() => simulator.stop());
  const { context } = buildContext({ origin, connection });
  async function states(handle: JobHandle): Promise<string[]> {
    const seen: string[] = [];
    while (seen.at(-1) !== "done") seen.push((await job.status(handle, context)).state);
    return seen;
  }
  return { simulator, context, states };
}
const toRequest = (task: "video" | "image", id: string, input: RunRequest["input"] = {}) =>
  buildRequest({
    task,
    model: { id, inputSchema: null, capabilities: {} },
    turns: [],
    input: { prompt: "a fox in snow", ...input },
  });
const film = toRequest("video", "ray-2", {
  aspect_ratio: "16:9",
  resolution: "720p",
  duration: "5s",
  loop: false,
  first_frame: "https://example.org/first.png",
});
const picture = toRequest("image", "photon-1", {
  format: "png",
  style_ref: "https://example.org/style.png",
});

keepsTheMediaContract({
  adapter: luma,
  start,
  requests: [
    ["a film", film],
    ["a picture", picture],
  ],
});

it.each([
  [film, "/dream-machine/v1/generations", "video", "mp4", { videos: "1" }],
  [picture, "/dream-machine/v1/generations/image", "picture", "jpg", { images: "1" }],
] as const)(
  "a generation is submitted once, polled and read",
  async (request, path, name, end, units) => {
    const { simulator, context, states } = await build();
    const handle = await job.submit(request, context);
    expect(await states(handle)).toEqual(["queued", "running", "done"]);
    const result = await job.result(handle, context);
    expect(result).toEqual({
      files: [{ name, url: `https://storage.cdn-luma.com/${handle.id}.${end}` }],
      result: {},
      usage: { units },
    });
    expect(simulator.posts).toMatchObject([{ path }]);
  },
);

it("a first frame is sent as an address", async () => {
  const { simulator, context } = await build();
  await job.submit(film, context);
  expect(simulator.posts).toMatchObject([
    {
      body: {
        model: "ray-2",
        loop: false,
        keyframes: { frame0: { type: "image", url: "https://example.org/first.png" } },
      },
    },
  ]);
});

it("a failure is final, with Luma's reason", async () => {
  const { simulator, context } = await build();
  const handle = await job.submit(film, context);
  await expect(job.result(handle, context)).rejects.toMatchObject({ code: "provider_protocol" });
  simulator.set(handle.id, { state: "failed", failure_reason: "Frame moderation failed" });
  expect(await job.status(handle, context)).toEqual({ state: "done" });
  await expect(job.result(handle, context)).rejects.toMatchObject({
    code: "provider_rejected",
    accepted: "yes",
    detail: { final: true },
  });
});

it("only a waiting generation can be canceled, and a missing one is final", async () => {
  const { context } = await build();
  const handle = await job.submit(film, context);
  expect(await job.cancel(handle, context)).toBe(true);
  await expect(job.status(handle, context)).rejects.toMatchObject({
    code: "output_unavailable",
    detail: { gone: true },
  });
  expect(await job.cancel(handle, context)).toBe(false);
  const second = await build();
  const running = await job.submit(film, second.context);
  await job.status(running, second.context);
  expect(await job.cancel(running, second.context)).toBe(false);
  expect(job.handleOf!("../credits", "ray-2", context)).toBeUndefined();
});

keepsTheJobContract({
  adapter: luma,
  async start() {
    const { origin, ...started } = await start();
    return { ...started, origins: [origin] };
  },
  requests: [
    ["a film", film],
    ["a picture", picture],
  ],
  lost: { id: "00000000-0000-4000-8000-000000009999", urls: {} },
  wrongKey: "wrong-key-of-somebody",
});

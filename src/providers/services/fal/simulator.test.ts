import { createFalClient } from "@fal-ai/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type FalSimulator, startFal } from "../../../../test/simulators/fal.ts";
import { type FalDoor, falAddresses } from "./kind.ts";

/** Checks the simulator with fal's own client: an API that it accepts as fal's is close enough. */
let sim: FalSimulator;
beforeEach(async () => {
  sim = await startFal();
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await sim.stop();
});

function buildClient(credentials = sim.key) {
  const doors = Object.entries(falAddresses) as [FalDoor, string][];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const asked = String(input);
    const [door, address] = doors.find(([, own]) => asked.startsWith(`${own}/`)) ?? [];
    return globalThis.fetch(
      door && address ? sim.addresses[door] + asked.slice(address.length) : asked,
      init,
    );
  };
  return createFalClient({ credentials, fetch });
}

it("fal's client subscribes to a job and gets its result", async () => {
  const seen: string[] = [];
  const { data, requestId } = await buildClient().subscribe("sim/flux/dev", {
    input: { prompt: "a boat", image_size: "square", num_images: 2 },
    logs: true,
    pollInterval: 1,
    onQueueUpdate: ({ status }) => seen.push(status),
  });
  expect(data.images).toHaveLength(2);
  expect(new Set(seen)).toEqual(new Set(["IN_QUEUE", "IN_PROGRESS", "COMPLETED"]));
  expect(sim.ledger.billed).toEqual([
    { requestId, prompt: "a boat", model: "sim/flux/dev", units: "2" },
  ]);
});

it("fal's client follows the status stream", async () => {
  const client = buildClient();
  const { request_id: requestId } = await client.queue.submit("sim/flux/dev", {
    input: { prompt: "streamed" },
  });
  const stream = await client.queue.streamStatus("sim/flux/dev", { requestId, logs: true });
  expect(await stream.done()).toMatchObject({ status: "COMPLETED" });
});

it("fal's client uploads a small and a large file, and a model reads them", async () => {
  const client = buildClient();
  const small = await client.storage.upload(new Blob(["small"], { type: "image/png" }));
  const large = await client.storage.upload(
    new Blob([new Uint8Array(91 * 1024 * 1024)], { type: "image/png" }),
  );
  for (const url of [small, large])
    await client.queue.submit("sim/clarity-upscaler", { input: { image_url: url } });
  expect(sim.ledger.posts.map(({ outcome }) => outcome)).toEqual(["accepted", "accepted"]);
});

it("fal's client runs directly and cancels", async () => {
  const client = buildClient();
  const { data } = await client.run("sim/whisper", {
    input: { audio_url: "https://a.example/a.wav" },
  });
  expect(data).toHaveProperty("text");
  const { request_id: requestId } = await client.queue.submit("sim/flux/dev", {
    input: { prompt: "[sim:hold-queue]" },
  });
  await client.queue.cancel("sim/flux/dev", { requestId });
  await expect(client.queue.result("sim/flux/dev", { requestId })).rejects.toMatchObject({
    status: 499,
  });
});

it("an unknown field, a missing one, an invalid value and a wrong key are refused as fal refuses them", async () => {
  const client = buildClient();
  const submit = (input: Record<string, unknown>) =>
    client.queue.submit("sim/flux/dev" as string, { input });
  await expect(submit({ prompt: "x", color: "red" })).rejects.toMatchObject({
    status: 422,
    body: { detail: [{ type: "extra_forbidden" }] },
  });
  await expect(submit({})).rejects.toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "prompt"], type: "missing" }] },
  });
  await expect(submit({ prompt: "x", output_format: "bmp" })).rejects.toMatchObject({
    status: 422,
  });
  await expect(
    buildClient("wrong").queue.submit("sim/flux/dev", { input: { prompt: "x" } }),
  ).rejects.toMatchObject({ status: 401 });
  const bare = await fetch(`${sim.addresses.queue}/sim/flux/dev`, {
    method: "POST",
    body: '{"prompt":"x"}',
    headers: { authorization: `Key ${sim.key}` },
  });
  expect(bare.status).toBe(422);
});

it("its files are served with ranges", async () => {
  const { data } = await buildClient().run("sim/flux/dev", {
    input: { prompt: "ranged", image_size: "square" },
  });
  const part = await fetch(data.images[0]!.url, { headers: { range: "bytes=1-3" } });
  expect([part.status, await part.text()]).toEqual([206, "PNG"]);
});

const token = async (path: string, body: object) => {
  const headers = { authorization: `Key ${sim.key}`, "content-type": "application/json" };
  const response = await fetch(`${sim.addresses.rest}/${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: await response.json() };
};

it("realtime tokens come in both forms, and neither accepts the other's", async () => {
  expect(
    (await token("tokens/", { allowed_apps: ["klein"], token_expiration: 120 })).answer,
  ).toMatch(/^jwt\./);
  expect(
    (await token("tokens/realtime", { allowed_apps: ["sim/klein/realtime"], duration: 60 })).answer,
  ).toMatchObject({
    token: expect.stringMatching(/^jwt\./),
  });
  expect(
    (await token("tokens/", { allowed_apps: ["sim/klein/realtime"], token_expiration: 120 }))
      .status,
  ).toBe(422);
  expect(
    (await token("tokens/realtime", { allowed_apps: ["klein"], token_expiration: 120 })).status,
  ).toBe(422);
});

it("fal's client draws over its realtime connection", async () => {
  // The client's address is hard-coded, and it requests its default token only in a browser.
  vi.stubGlobal(
    "WebSocket",
    class extends WebSocket {
      constructor(url: string) {
        super(url.replace("wss://fal.run", sim.addresses.realtime));
      }
    },
  );
  const results: { images: { content: Uint8Array }[]; seed: number }[] = [];
  const errors: unknown[] = [];
  const line = buildClient().realtime.connect("sim/klein/realtime", {
    throttleInterval: 0,
    tokenProvider: async () =>
      String((await token("tokens/", { allowed_apps: ["klein"], token_expiration: 120 })).answer),
    onResult: (result: (typeof results)[number]) => results.push(result),
    onError: (error) => errors.push(error),
  });
  const image_url = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString("base64")}`;
  line.send({ prompt: "a boat", image_url, seed: 7 });
  await vi.waitFor(() => expect([...results, ...errors]).toHaveLength(1));
  expect(results[0]?.seed).toBe(7);
  expect(Buffer.from(results[0]!.images[0]!.content.subarray(1, 4)).toString()).toBe("PNG");
  line.send({ prompt: "a boat", image_url: "https://example.com/a.png" });
  await vi.waitFor(() => expect(String(errors[0])).toContain("base64"));
  line.close();
});

import { afterEach, beforeEach, expect, it } from "vitest";
import { type FalSimulator, startFal } from "../../../../test/simulators/fal.ts";
import type { CallContext, ModelFacts } from "../../adapter.ts";
import { createOutbound, type Outbound } from "../../outbound/outbound.ts";
import { listModels } from "./catalog/models.ts";

let sim: FalSimulator;
let outbound: Outbound;
beforeEach(async () => {
  outbound = createOutbound();
  sim = await startFal();
});
afterEach(async () => {
  await outbound.close();
  await sim.stop();
});

function buildContext(fetch = outbound.open({ privateOrigins: [sim.url] })): CallContext {
  const connection = {
    id: "c1",
    kind: "fal",
    addresses: sim.addresses,
    options: {},
    secret: sim.key,
  };
  return { connection, fetch, signal: new AbortController().signal, clock: { now: () => 5 } };
}

async function list(
  context = buildContext(),
): Promise<{ pages: number; models: Map<string, ModelFacts> }> {
  const pages: ModelFacts[][] = [];
  for await (const page of listModels(context)) pages.push(page);
  return { pages: pages.length, models: new Map(pages.flat().map((model) => [model.id, model])) };
}

it("the catalog has the task, schema, price and status of every endpoint", async () => {
  const { models } = await list();
  expect(models.get("sim/flux/dev")).toMatchObject({
    name: "Simulated Flux",
    tasks: ["image"],
    inputModalities: ["text"],
    outputModalities: ["image"],
    capabilities: { seed: true, countField: { name: "num_images", most: 4 } },
    price: { unit: "megapixels", micros: "25000", at: 5 },
    status: "active",
    releasedAt: Date.UTC(2026, 2, 1, 9),
  });
  expect(models.get("sim/stable-diffusion-v15")?.status).toBe("deprecated");
  expect([...models.values()].every(({ inputSchema }) => inputSchema !== null)).toBe(true);
});

it("a model's task follows from fal's category and tags", async () => {
  const { models } = await list();
  const tasks = (id: string) => models.get(id)?.tasks;
  expect(tasks("sim/clarity-upscaler")).toEqual(["upscale"]);
  expect(tasks("sim/birefnet/v2")).toEqual(["background-removal"]);
  expect(tasks("acme/kling-video/v3/pro/image-to-video")).toEqual(["video"]);
  expect(tasks("sim/elevenlabs/tts/eleven-v3")).toEqual(["speech"]);
  expect(tasks("sim/whisper")).toEqual(["transcription"]);
  expect(tasks("sim/trellis")).toEqual(["3d"]);
  expect(tasks("sim/flux-lora-fast-training")).toEqual(["other"]);
});

it("realtime models are found by fal's own path and by the connection's list", async () => {
  const { models } = await list();
  expect(models.get("sim/klein/realtime")).toMatchObject({
    tasks: ["live"],
    capabilities: { seed: true, live: { drawing: "image_url" } },
  });
  expect(models.get("sim/lcm")?.tasks).toEqual(["image"]);
  const context = buildContext();
  const named = await list({
    ...context,
    connection: { ...context.connection, options: { realtimeModels: "sim/other, sim/lcm" } },
  });
  expect(named.models.get("sim/lcm")).toMatchObject({
    tasks: ["image", "live"],
    capabilities: { live: { drawing: null } },
  });
});

it("prices keep every digit as micro-dollars", async () => {
  const { models } = await list();
  expect(models.get("sim/birefnet/v2")?.price).toMatchObject({
    unit: "compute seconds",
    micros: "250",
  });
  expect(models.get("sim/whisper")?.price).toMatchObject({ micros: "1110" });
  expect(models.get("acme/sync-lipsync/v2")?.price).toMatchObject({ micros: "3000000" });
});

it("every page is requested until the cursor ends", async () => {
  const guarded = outbound.open({ privateOrigins: [sim.url] });
  const small: typeof globalThis.fetch = (input, init) =>
    guarded(String(input).replace("limit=50", "limit=4"), init);
  const { pages, models } = await list(buildContext(small));
  expect(pages).toBe(5);
  expect(models.size).toBe(17);
});

it("a list without available prices is returned without them", async () => {
  const guarded = outbound.open({ privateOrigins: [sim.url] });
  const unpriced: typeof globalThis.fetch = (input, init) =>
    guarded(String(input).replace("/pricing?", "/nowhere?"), init);
  const { models } = await list(buildContext(unpriced));
  expect(models.get("sim/flux/dev")?.price).toBeNull();
});

it("a wrong key and a web page are reported", async () => {
  const context = buildContext();
  const wrong = { ...context, connection: { ...context.connection, secret: "wrong" } };
  await expect(list(wrong)).rejects.toMatchObject({ code: "provider_auth" });
  const elsewhere = {
    ...context,
    connection: { ...context.connection, addresses: { ...sim.addresses, api: `${sim.url}/site` } },
  };
  await expect(list(elsewhere)).rejects.toMatchObject({ code: "provider_protocol" });
});

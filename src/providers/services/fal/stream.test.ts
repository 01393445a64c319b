import { afterEach, beforeEach, expect, it } from "vitest";
import { type FalSimulator, startFal } from "../../../../test/simulators/fal.ts";
import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { createOutbound, type Outbound } from "../../outbound/outbound.ts";
import { fal } from "./adapter.ts";

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

const options = { streamModels: "sim/flux/dev, sim/whisper" };
function buildContext(): RunContext {
  return {
    connection: { id: "c1", kind: "fal", addresses: sim.addresses, options, secret: sim.key },
    fetch: outbound.open({ privateOrigins: [sim.url], onePost: true }),
    signal: new AbortController().signal,
    clock: { now: () => 1_000 },
    clientToken: "t1",
    warn: () => undefined,
  };
}
const buildRequest = (model: string, input: RunRequest["input"]): RunRequest => ({
  runId: "r1",
  task: "image",
  model: { id: model, inputSchema: null, capabilities: {} },
  input,
  turns: [],
  files: new Map(),
});
async function collect(
  model: string,
  input: RunRequest["input"],
): Promise<{ parts: AnswerPart[]; error: unknown }> {
  const parts: AnswerPart[] = [];
  try {
    for await (const part of fal.answer!(buildRequest(model, input), buildContext()))
      parts.push(part);
    return { parts, error: undefined };
  } catch (error) {
    return { parts, error };
  }
}
const paint = (prompt: string) => collect("sim/flux/dev", { prompt, image_size: "square" });

it("previews are shown as they arrive, and the last event is the result with its files and units", async () => {
  const { parts, error } = await paint("a boat");
  expect(error).toBeUndefined();
  expect(parts.map(({ type }) => type)).toEqual([
    "preview",
    "progress",
    "partial",
    "preview",
    "progress",
    "partial",
    "preview",
    "progress",
    "partial",
    "file",
    "finish",
  ]);
  expect(parts[0]).toMatchObject({ mime: "image/png" });
  // The whole event, with an empty URL in place of the picture that was sent before.
  expect(parts[2]).toEqual({
    type: "partial",
    data: {
      images: [{ url: "", content_type: "image/png" }],
      progress: 1 / 3,
      note: "step 1",
      partial: true,
    },
  });
  expect(parts.at(-2)).toMatchObject({ output: { mime: "image/png", width: 128 } });
  expect(parts.at(-1)).toMatchObject({
    usage: { units: { "billable-units": "1" } },
    result: { images: [{ output: 0 }] },
  });
  expect(sim.ledger.requests.filter((request) => request.startsWith("POST /run"))).toEqual([
    "POST /run/sim/flux/dev/stream",
  ]);
  expect(sim.ledger.posts).toHaveLength(1);
});

it("an event that isn't a result is passed on when another follows", async () => {
  const { parts } = await paint("[sim:sse-note] a boat");
  expect(parts.filter(({ type }) => type === "partial")).toContainEqual({
    type: "partial",
    data: { stage: "between steps" },
  });
  expect(parts.at(-1)).toMatchObject({ result: { images: [{ output: 0 }] } });
});

it("text grows, and each word is emitted once, however the bytes are cut", async () => {
  const { parts } = await collect("sim/whisper", {
    audio_url: "https://a.example/[sim:sse-bytes]é.wav",
  });
  const said = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  expect(said).toMatch(/^Heard: /);
  expect(parts.at(-1)).toMatchObject({ type: "finish", result: { output: said } });
});

it("a torn stream, a half result and a broken connection are interrupted, not mistaken for a whole result", async () => {
  for (const [prompt, message] of [
    ["[sim:sse-torn]", undefined],
    ["[sim:sse-half]", "broke off before the result"],
    ["[sim:sse-error]", "Runner disconnected ✂"],
  ] as const) {
    const { parts, error } = await paint(prompt);
    expect(error, prompt).toMatchObject({ code: "provider_interrupted", accepted: "yes" });
    if (message) expect(String(error)).toContain(message);
    expect(parts.some(({ type }) => type === "preview")).toBe(true);
    expect(parts.some(({ type }) => type === "finish")).toBe(false);
  }
  expect(sim.ledger.posts).toHaveLength(3);
});

it("a refusal before the stream is a refusal, and a model without streaming is reported as missing", async () => {
  expect((await paint("[sim:422]")).error).toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
  });
  expect((await paint("[sim:lost-reply]")).error).toMatchObject({
    code: "outcome_unknown",
    accepted: "unknown",
  });
  expect(
    (await collect("sim/clarity-upscaler/stream", { image_url: "https://a.example/a.png" })).error,
  ).toMatchObject({
    code: "model_gone",
    accepted: "no",
  });
});

const asked = (modelId: string) => ({
  task: "image" as const,
  modelId,
  inputSchema: null,
  input: {},
});

it("only models that stream use it; the others use the queue", () => {
  expect(fal.prefersAnswer!(options, asked("sim/flux/dev"))).toBe(true);
  expect(fal.prefersAnswer!(options, asked("sim/flux"))).toBe(false);
  expect(fal.prefersAnswer!({}, asked("acme/llm/stream"))).toBe(true);
  expect(fal.prefersAnswer!({}, asked("sim/flux/dev"))).toBe(false);
  expect(fal.prefersAnswer!({ runs: "direct" }, asked("sim/flux/dev"))).toBe(true);
});

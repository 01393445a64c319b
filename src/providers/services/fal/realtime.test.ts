import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type FalSimulator, startFal } from "../../../../test/simulators/fal.ts";
import type {
  ProviderError,
  RealtimeContext,
  RealtimeFrame,
  RealtimeSession,
} from "../../adapter.ts";
import { createOutbound, type Outbound } from "../../outbound/outbound.ts";
import { fal } from "./adapter.ts";

let sim: FalSimulator;
let outbound: Outbound;
let now = 1_000_000;
beforeEach(async () => {
  now = 1_000_000;
  outbound = createOutbound();
  sim = await startFal({ now: () => now });
});
afterEach(async () => {
  await outbound.close();
  await sim.stop();
});

type Wish = {
  options?: Record<string, string>;
  privateOrigins?: string[];
  secret?: string;
  mostBytes?: number;
  signal?: AbortSignal;
};
function buildContext({
  options = {},
  privateOrigins = [sim.url],
  secret = sim.key,
  mostBytes = 1024 ** 2,
  signal,
}: Wish = {}): RealtimeContext {
  return {
    connection: { id: "c1", kind: "fal", addresses: sim.addresses, options, secret },
    fetch: outbound.open({ privateOrigins }),
    openSocket: outbound.openSocket({ privateOrigins, mostBytes }),
    signal: signal ?? new AbortController().signal,
    clock: { now: () => now },
  };
}

const schema = {
  properties: { prompt: { type: "string" }, image_url: { type: "string", "x-file": "image" } },
  required: ["image_url"],
};
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3);

/** Opens a session whose answers can be awaited one by one. */
async function open(wish: Wish = {}, model = "sim/klein/realtime") {
  const answers: (readonly RealtimeFrame[] | ProviderError | "closed")[] = [];
  const on = {
    frames: (frames: readonly RealtimeFrame[]) => answers.push(frames),
    refused: (error: ProviderError) => answers.push(error),
    closed: (error: ProviderError | null) => answers.push(error ?? "closed"),
  };
  const inputSchema = model === "sim/lcm" ? { properties: { prompt: { type: "string" } } } : schema;
  const session = await fal.realtime!.open(
    { id: model, inputSchema, capabilities: {} },
    buildContext(wish),
    on,
  );
  return {
    session,
    answers,
    next: (count = answers.length + 1) => vi.waitFor(() => expect(answers).toHaveLength(count)),
  };
}
const draw = (session: RealtimeSession, prompt: string, settings = {}) =>
  session.send({ settings: { prompt, ...settings }, drawing: { mime: "image/png", bytes: png } });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail("nothing failed"),
    (error: ProviderError) => error,
  );

it("an input is sent as msgpack with its drawing inside, and its frame comes back with size and seed", async () => {
  const { session, answers, next } = await open();
  draw(session, "a boat ✨", { seed: 7, output_feedback_strength: 0.9 });
  await next();
  expect(answers[0]).toMatchObject([{ mime: "image/png", width: 64, height: 64, seed: 7 }]);
  expect(Buffer.from((answers[0] as RealtimeFrame[])[0]!.bytes.subarray(1, 4)).toString()).toBe(
    "PNG",
  );
  expect(sim.realtime.inputs).toMatchObject([
    {
      model: "sim/klein/realtime",
      input: {
        prompt: "a boat ✨",
        seed: 7,
        output_feedback_strength: 0.9,
        image_url: `data:image/png;base64,${Buffer.from(png).toString("base64")}`,
      },
    },
  ]);
  session.close();
  await vi.waitFor(() => expect(sim.realtime.sessions[0]?.closeCode).toBe(1000));
  expect(answers).toHaveLength(1);
});

it("tokens are requested in both forms, and only that request carries the key", async () => {
  await open();
  await open({ options: { realtimeTokens: "path" } });
  await open({ options: { realtimeTokens: "path" } }, "sim/lcm");
  expect(sim.ledger.requests).toEqual([
    "POST /rest/tokens/",
    "POST /rest/tokens/realtime",
    "POST /rest/tokens/realtime",
  ]);
  expect(sim.realtime.sessions.map(({ model }) => model)).toEqual([
    "sim/klein/realtime",
    "sim/klein/realtime",
    "sim/lcm",
  ]);
});

it("a text-only model gets no drawing, and base64 is read in place of bytes", async () => {
  const { session, answers, next } = await open({}, "sim/lcm");
  draw(session, "[sim:frame-base64] words");
  await next();
  expect(answers[0]).toMatchObject([{ mime: "image/png", width: 64 }]);
  expect(sim.realtime.inputs[0]?.input).toEqual({ prompt: "[sim:frame-base64] words" });
});

it("a wrong key, an expired token and a model without realtime are distinguished before anything is sent", async () => {
  expect(await failure(open({ secret: "wrong" }))).toMatchObject({
    code: "provider_auth",
    accepted: "no",
  });
  sim.script("", "token-expired");
  expect(await failure(open())).toMatchObject({
    code: "provider_auth",
    accepted: "no",
    detail: { httpStatus: 401 },
  });
  const gone = await failure(open({}, "sim/flux/dev"));
  expect(gone).toMatchObject({ code: "model_gone", accepted: "no" });
  expect(JSON.stringify([gone, String(gone.stack)])).not.toContain("jwt.");
  expect(sim.realtime.inputs).toEqual([]);
});

it("a refused input names its field, a flagged one says so, and the session continues", async () => {
  const { session, answers, next } = await open();
  draw(session, "x", { num_inference_steps: 99 });
  await next();
  expect(answers[0]).toMatchObject({
    code: "provider_invalid_input",
    detail: { field: "num_inference_steps" },
  });
  draw(session, "[sim:frame-policy] x");
  await next();
  expect(answers[1]).toMatchObject({ code: "provider_rejected" });
  draw(session, "[sim:frame-remark] fine");
  await next();
  expect(answers[2]).toMatchObject([{ mime: "image/png" }]);
  expect(sim.realtime.sessions[0]?.closedAt).toBeNull();
});

it("a dropped connection, a runner's close, a broken frame and an expired token end the session, each reported once", async () => {
  const ends: [prompt: string, expected: unknown][] = [
    ["[sim:line-drop]", { code: "provider_interrupted", detail: { reason: "1006" } }],
    ["[sim:line-1011]", { code: "provider_interrupted", detail: { reason: "1011" } }],
    ["[sim:line-1000]", "closed"],
    ["[sim:frame-broken]", { code: "provider_protocol" }],
    ["[sim:line-unauthorized]", { code: "provider_auth" }],
  ];
  for (const [prompt, expected] of ends) {
    const { session, answers, next } = await open();
    draw(session, prompt);
    await next();
    if (typeof expected === "string") expect(answers[0]).toBe(expected);
    else expect(answers[0]).toMatchObject(expected as object);
    await vi.waitFor(() => expect(sim.realtime.sessions.at(-1)?.closedAt).not.toBeNull());
    expect(answers).toHaveLength(1);
  }
});

it("its socket follows the connection's policy: no private address unless named, and no other host", async () => {
  const context = buildContext();
  const openSocket = outbound.openSocket({ privateOrigins: [], mostBytes: 1024 });
  const refused = await failure(
    fal.realtime!.open(
      { id: "sim/klein/realtime", inputSchema: schema, capabilities: {} },
      { ...context, openSocket },
      {
        frames: () => undefined,
        refused: () => undefined,
        closed: () => undefined,
      },
    ),
  );
  expect(refused).toMatchObject({ code: "provider_unreachable", accepted: "no" });
  expect(sim.realtime.sessions).toEqual([]);
  const rebound = createOutbound({ lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
  const port = new URL(sim.url).port;
  const socket = rebound.openSocket({ privateOrigins: [], mostBytes: 1024 });
  const { signal } = context;
  expect(
    await failure(socket(`ws://frames.example:${port}/realtime/sim/klein/realtime`, { signal })),
  ).toMatchObject({
    code: "provider_unreachable",
  });
  for (const literal of [
    "ws://169.254.169.254/",
    "ws://[::ffff:127.0.0.1]/",
    "ws://2130706433/",
    "ws://user:secret@example.com/",
  ])
    expect(await failure(socket(literal, { signal })), literal).toMatchObject({
      code: "provider_unreachable",
    });
  await rebound.close();
});

it("a frame over the limit ends the session, and an abort before it opens leaves nothing behind", async () => {
  const { session, answers, next } = await open({ mostBytes: 100 });
  draw(session, "large");
  await next();
  expect(answers[0]).toMatchObject({ code: "provider_protocol" });
  const canceller = new AbortController();
  canceller.abort(new Error("gone"));
  expect(await failure(open({ signal: canceller.signal }))).toMatchObject({ message: "gone" });
});

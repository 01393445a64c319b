import { createHash } from "node:crypto";
import sharp from "sharp";
import { expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import type { ProviderError, RealtimeFrame, RealtimeInput } from "../../adapter.ts";
import { patternLive, realtime } from "./pattern-live.ts";

async function open() {
  const answers: (readonly RealtimeFrame[] | ProviderError | null)[] = [];
  let wake = () => {};
  const take = (answer: (typeof answers)[number]) => {
    answers.push(answer);
    wake();
  };
  const context = {
    connection: { id: "c", kind: "builtin", addresses: {}, options: {}, secret: null },
    fetch: () => Promise.reject(new Error("The built-in models call nobody.")),
    openSocket: () => Promise.reject(new Error("The built-in models call nobody.")),
    signal: new AbortController().signal,
    clock: { now: () => 0 },
  };
  const model = {
    id: patternLive.id,
    inputSchema: patternLive.inputSchema,
    capabilities: patternLive.capabilities,
  };
  const session = await realtime.open(model, context, {
    frames: take,
    refused: take,
    closed: take,
  });
  return {
    async ask(input: RealtimeInput) {
      const before = answers.length;
      session.send(input);
      while (answers.length === before) await new Promise<void>((resolve) => (wake = resolve));
      return answers.at(-1)!;
    },
    async frame(input: RealtimeInput): Promise<RealtimeFrame> {
      return ((await this.ask(input)) as readonly RealtimeFrame[])[0]!;
    },
  };
}

const hash = (frame: RealtimeFrame) => createHash("sha256").update(frame.bytes).digest("hex");
const stroke = (color: string) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="120"><path d="M10 60H190" stroke="${color}" stroke-width="30"/></svg>`,
    ),
  )
    .png()
    .toBuffer();
const redOf = async (frame: RealtimeFrame) => {
  const { data, info } = await sharp(frame.bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (60 * info.width + 100) * 3;
  return data[at]! - data[at + 2]!;
};

it("gives a frame per input: the drawing over the pattern, equal for equal inputs, different for another stroke", async () => {
  const session = await open();
  const [red, blue] = await Promise.all([stroke("#ff0000"), stroke("#0000ff")]);
  const settings = { prompt: "quiet hills", seed: 7, strength: 0.2 };
  const first = await session.frame({ settings, drawing: { mime: "image/png", bytes: red } });
  expect(first).toMatchObject({ mime: "image/webp", width: 200, height: 120, seed: 7 });
  expect(hash(await session.frame({ settings, drawing: { mime: "image/png", bytes: red } }))).toBe(
    hash(first),
  );
  const other = await session.frame({ settings, drawing: { mime: "image/png", bytes: blue } });
  expect(await redOf(first)).toBeGreaterThan((await redOf(other)) + 100);
});

it("uses the prompt, seed and strength, and doesn't need a drawing", async () => {
  const session = await open();
  const bytes = await stroke("#000");
  const frames: RealtimeFrame[] = [];
  const asked: JsonObject[] = [
    { prompt: "the sea" },
    { prompt: "the sea", seed: 3 },
    { prompt: "a forest" },
  ];
  for (const settings of asked) frames.push(await session.frame({ settings, drawing: null }));
  expect(new Set(frames.map(hash)).size).toBe(3);
  const soft = await session.frame({
    settings: { prompt: "the sea", strength: 1 },
    drawing: { mime: "image/png", bytes },
  });
  const hard = await session.frame({
    settings: { prompt: "the sea", strength: 0 },
    drawing: { mime: "image/png", bytes },
  });
  expect(hash(soft)).not.toBe(hash(hard));
});

it("refuses an invalid input and continues: a broken drawing or an unknown setting", async () => {
  const session = await open();
  const none = await session.ask({
    settings: { prompt: "x" },
    drawing: { mime: "image/png", bytes: Buffer.from("not a picture") },
  });
  expect(none).toMatchObject({ code: "provider_invalid_input", detail: { field: "drawing" } });
  expect(await session.ask({ settings: { steps: 4 }, drawing: null })).toMatchObject({
    code: "provider_invalid_input",
    detail: { field: "steps" },
  });
  expect(await session.frame({ settings: { prompt: "x" }, drawing: null })).toMatchObject({
    width: 768,
    height: 768,
  });
});

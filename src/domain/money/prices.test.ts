import fc from "fast-check";
import { expect, it } from "vitest";
import { unitNames, units } from "#contract/units.ts";
import { countFiles } from "./count-units.ts";
import {
  costOfUsage,
  estimateAnswer,
  estimateInput,
  estimateRun,
  leastCostOfUsage,
} from "./prices.ts";

const price = (unit: string, micros: string, more: object = {}) => ({
  unit,
  micros,
  source: "test",
  at: 0,
  ...more,
});
const tokens = [
  price("input token", "3"),
  price("output token", "15"),
  price("cached input token", "0.3"),
];

it("tokens cost the rate of their kind: cached and reasoning tokens have their own rate or are part of the whole", () => {
  expect(costOfUsage(tokens, { inputTokens: 1_000, outputTokens: 100 })).toBe(4_500);
  expect(
    costOfUsage(tokens, { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 100 }),
  ).toBe(3_420);
  expect(costOfUsage(tokens, { inputTokens: 0, outputTokens: 100, reasoningTokens: 60 })).toBe(
    1_500,
  );
  const dear = [...tokens, price("reasoning token", "20"), price("request", "7")];
  expect(costOfUsage(dear, { inputTokens: 0, outputTokens: 100, reasoningTokens: 60 })).toBe(1_807);
  expect(costOfUsage([price("input token", "0.02")], { inputTokens: 51 })).toBe(2);
  const pictures = [...tokens, price("input image token", "8")];
  expect(
    costOfUsage(pictures, { inputTokens: 1_000, imageInputTokens: 600, outputTokens: 0 }),
  ).toBe(6_000);
  const media = [
    price("input token", "1"),
    price("cached input token", "0.5"),
    price("input audio token", "3"),
    price("output token", "2"),
  ];
  expect(
    costOfUsage(media, {
      inputTokens: 100,
      audioInputTokens: 40,
      cachedInputTokens: 80,
      outputTokens: 0,
    }),
  ).toBe(150);
  const drawn = [...media, price("output image token", "30")];
  expect(costOfUsage(drawn, { inputTokens: 0, outputTokens: 100, imageOutputTokens: 90 })).toBe(
    2_720,
  );
});

it("a long input is billed at its tier's rates, including the output", () => {
  const tiered = [
    price("input token", "1.25", { tiers: [{ fromInputTokens: 200_000, micros: "2.5" }] }),
    price("output token", "10", { tiers: [{ fromInputTokens: 200_000, micros: "15" }] }),
  ];
  expect(costOfUsage(tiered, { inputTokens: 200_000, outputTokens: 10 })).toBe(250_100);
  expect(costOfUsage(tiered, { inputTokens: 200_001, outputTokens: 10 })).toBe(500_153);
});

it("an uncounted or unpriced part is unknown and never 0; a free part is 0", () => {
  expect(costOfUsage([], { inputTokens: 1, outputTokens: 1 })).toBeNull();
  expect(costOfUsage(tokens, { outputTokens: 1 })).toBeNull();
  expect(costOfUsage(tokens, {})).toBeNull();
  expect(costOfUsage([price("compute seconds", "5")], {})).toBeNull();
  expect(
    costOfUsage([price("images", "5"), price("seconds", "5")], { units: { images: "1" } }),
  ).toBeNull();
  expect(costOfUsage([price("run", "0")], {})).toBe(0);
});

it("a provider's extra work is billed per piece, and costs nothing if there was none", () => {
  const searching = [...tokens, price("web search", "10000")];
  expect(costOfUsage(searching, { inputTokens: 1_000, outputTokens: 100 })).toBe(4_500);
  expect(
    costOfUsage(searching, {
      inputTokens: 1_000,
      outputTokens: 100,
      units: { "web searches": "2" },
    }),
  ).toBe(24_500);
});

it("a used tool without a price makes the cost unknown, and the rest is its minimum", () => {
  const usage = { inputTokens: 1_000, outputTokens: 100 };
  const used = { ...usage, units: { "code sessions": "1" } };
  expect(costOfUsage(tokens, used)).toBeNull();
  expect(leastCostOfUsage(tokens, used)).toBe(4_500);
  const half = [...tokens, price("web search", "10000")];
  const both = { ...usage, units: { "web searches": "1", "code sessions": "1" } };
  expect(costOfUsage(half, both)).toBeNull();
  expect(leastCostOfUsage(half, both)).toBe(14_500);
  // A free tool has a price, and an unused one costs nothing.
  expect(costOfUsage([...tokens, price("code session", "0")], used)).toBe(4_500);
  expect(costOfUsage(tokens, { ...usage, units: { "code sessions": "0" } })).toBe(4_500);
  // A price per run covers the whole answer, and a free model stays free.
  expect(costOfUsage([price("run", "7")], used)).toBe(7);
  expect(costOfUsage([price("input token", "0"), price("output token", "0")], used)).toBe(0);
  const size = { messages: 1, characters: 4, bytes: 4, pictures: 0, fileBytes: 0, outputTokens: 9 };
  const bounded = { ...size, contextTokens: 1_000, toolUses: 3 };
  expect(estimateAnswer(tokens, { ...bounded, tools: ["codeInterpreter"] })).toBeNull();
  expect(estimateAnswer(half, { ...bounded, tools: ["webSearch", "codeInterpreter"] })).toBeNull();
  expect(estimateAnswer(half, { ...bounded, tools: ["webSearch"] })).not.toBeNull();
});

it("units that a provider counts are billed at one price each", () => {
  expect(costOfUsage([price("megapixels", "25000")], { units: { "billable-units": "1.05" } })).toBe(
    26_250,
  );
  expect(costOfUsage([price("images", "40000")], { units: { image: "3" } })).toBe(120_000);
  expect(costOfUsage([price("character", "15")], { units: { characters: "40" } })).toBe(600);
  expect(
    estimateInput(
      { prices: [price("character", "15")], capabilities: {} },
      { input: "x".repeat(40) },
    )?.mostMicros,
  ).toBe(600);
});

it("a form's estimate is its units times the model's price, and unknown if only the run can count them", () => {
  const model = (unit: string, micros: string, countField?: string) => ({
    prices: [price(unit, micros)],
    capabilities: countField ? { countField: { name: countField, most: 4 } } : {},
  });
  const micros = (priced: ReturnType<typeof model>, input: object) =>
    estimateInput(priced, input as never)?.mostMicros ?? null;
  expect(micros(model("images", "40000", "num_images"), { num_images: 3 })).toBe(120_000);
  expect(micros(model("images", "40000", "num_images"), {})).toBe(40_000);
  expect(micros(model("generations", "30000", "num_images"), { num_images: 4 })).toBe(30_000);
  const megapixels = model("megapixels", "25000");
  expect(estimateInput(megapixels, { image_size: "square_hd" })).toEqual({
    likelyMicros: 26_215,
    mostMicros: 50_000,
  });
  expect(estimateInput(megapixels, { image_size: { width: 64, height: 64 } })).toEqual({
    likelyMicros: 25_000,
    mostMicros: 25_000,
  });
  expect(micros(model("megapixels", "25000", "n"), { width: 2_000, height: 1_000, n: 2 })).toBe(
    100_000,
  );
  for (const duration of [8, "8", "8s"])
    expect(micros(model("seconds", "100000"), { duration })).toBe(800_000);
  for (const name of ["durationSeconds", "duration_seconds", "seconds"])
    expect(micros(model("second", "100000"), { [name]: "8" })).toBe(800_000);
  expect(estimateInput(model("1000 characters", "30000"), { text: "x".repeat(1_500) })).toEqual({
    likelyMicros: 45_000,
    mostMicros: 60_000,
  });
  expect(estimateInput(model("minute", "60000"), { duration: 90 })).toEqual({
    likelyMicros: 90_000,
    mostMicros: 120_000,
  });
  expect(micros(model("compute seconds", "1110"), {})).toBeNull();
  expect(micros(model("megapixels", "25000"), {})).toBeNull();
  expect(micros(model("run", "0"), {})).toBe(0);
  for (const size of ["constructor", "x", "-5x5", "1e300x1e300", "", 7, null, [], {}])
    expect(micros(megapixels, { image_size: size })).toBeNull();
  for (const count of ["abc", -1, 0, [], {}])
    expect(micros(model("images", "40000", "num_images"), { num_images: count })).toBeNull();
  expect(estimateInput({ prices: [], capabilities: {} }, {})).toBeNull();
});

it("a price converts related units: minutes to seconds, thousands of characters to characters", () => {
  expect(costOfUsage([price("minute", "6000")], { units: { seconds: "120" } })).toBe(12_000);
  expect(costOfUsage([price("minutes", "1")], { units: { seconds: "100" } })).toBe(2);
  expect(costOfUsage([price("hour", "360000")], { units: { seconds: "10" } })).toBe(1_000);
  expect(costOfUsage([price("1,000 characters", "100000")], { units: { characters: "13" } })).toBe(
    1_300,
  );
  expect(costOfUsage([price("run", "30000")], { units: { images: "4" } })).toBe(30_000);
  expect(costOfUsage([price("GPU seconds", "100")], { units: { "compute seconds": "2.5" } })).toBe(
    250,
  );
  // Compute seconds are not seconds of video.
  expect(costOfUsage([price("second", "100")], { units: { "compute seconds": "2.5" } })).toBeNull();
  expect(costOfUsage([price("moon", "100")], { units: { moons: "2" } })).toBeNull();
});

it("files are counted if the provider counted nothing: pictures by started megapixels, videos by requested length", () => {
  const file = (kind: "image" | "video", more: object) => ({
    kind,
    width: null,
    height: null,
    durationMs: null,
    ...more,
  });
  const pictures = [
    file("image", { width: 1_200, height: 1_000 }),
    file("image", { width: 64, height: 64 }),
  ];
  expect(countFiles(pictures, {})).toEqual({ images: "2", megapixels: "3" });
  expect(countFiles([file("video", { durationMs: 8_042 })], { durationSeconds: "8" })).toEqual({
    videos: "1",
    seconds: "8",
  });
  expect(countFiles([file("video", { durationMs: 8_042 })], {})).toEqual({
    videos: "1",
    seconds: "8.042",
  });
  expect(countFiles([file("image", {}), file("video", {})], {})).toEqual({
    images: "1",
    videos: "1",
  });
});

it("a field that the model doesn't have bounds nothing, and the model's own default does", () => {
  const properties = {
    num_images: { type: "integer", default: 2 },
    image_size: { type: "string", default: "square_hd" },
  };
  const model = {
    prices: [price("megapixels", "25000")],
    capabilities: {},
    inputSchema: { type: "object", properties },
  };
  expect(estimateRun(model, {})?.mostMicros).toBe(100_000);
  expect(estimateRun(model, { n: 9, width: 10, height: 10 })?.mostMicros).toBe(100_000);
  expect(estimateRun({ ...model, inputSchema: null }, { image_size: "square" })).toBeNull();
  expect(
    estimateRun({ ...model, inputSchema: null, prices: [price("run", "5")] }, {})?.mostMicros,
  ).toBe(5);
});

it("the amount reserved for a form covers every billed unit, started ones counted whole", () => {
  const form = fc.record({
    width: fc.integer({ min: 1, max: 5_000 }),
    height: fc.integer({ min: 1, max: 5_000 }),
    duration: fc.integer({ min: 1, max: 7_200_000 }).map((ms) => ms / 1_000),
    text: fc.string({ minLength: 1, maxLength: 3_000 }),
    n: fc.integer({ min: 1, max: 8 }),
  });
  const priced = unitNames.filter((name) => !/token|search|session|tool|compute/.test(name));
  fc.assert(
    fc.property(
      form,
      fc.constantFrom(...priced),
      fc.integer({ min: 1, max: 1e6 }),
      (input, unit, micros) => {
        const prices = [price(unit, String(micros))];
        const { likelyMicros, mostMicros } = estimateInput({ prices, capabilities: {} }, input)!;
        const { of: measure, per } = units[unit];
        const sizes: Record<string, number> = {
          megapixel: (input.width * input.height) / 1e6,
          second: input.duration,
          character: input.text.length,
        };
        const things = measure === "character" || measure === "run" ? 1 : input.n;
        const begun = Math.ceil((sizes[measure] ?? 1) / per) * things;
        expect(costOfUsage(prices, { units: { "billable-units": String(begun) } })).toBe(
          mostMicros,
        );
        expect(likelyMicros).toBeLessThanOrEqual(mostMicros);
        const counted = ((sizes[measure] ?? 1) * things).toFixed(6);
        expect(costOfUsage(prices, { units: { [`${measure}s`]: counted } })).toBeLessThanOrEqual(
          mostMicros,
        );
      },
    ),
  );
});

it("the most that an answer may cost is never below its actual cost", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 2_000 }),
      fc.nat({ max: 4 }),
      fc.integer({ min: 1, max: 9_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (text, pictures, outputTokens, share) => {
        const bytes = new TextEncoder().encode(text).length;
        const size = {
          messages: 1,
          characters: text.length,
          bytes,
          pictures,
          fileBytes: 0,
          outputTokens,
        };
        const { likelyMicros, mostMicros } = estimateAnswer(tokens, size)!;
        const usage = {
          inputTokens: Math.floor(bytes * share) + pictures * 4_784,
          outputTokens: Math.floor(outputTokens * share),
        };
        expect(costOfUsage(tokens, usage)!).toBeLessThanOrEqual(mostMicros!);
        expect(likelyMicros).toBeLessThanOrEqual(mostMicros!);
      },
    ),
  );
  // A small PDF can have many pages, each read as a picture, but no model reads more than its
  // context window.
  const pdf = {
    messages: 1,
    characters: 10,
    bytes: 10,
    pictures: 0,
    fileBytes: 50_000,
    documents: 1,
    outputTokens: 100,
  };
  expect(estimateAnswer(tokens, pdf)!.mostMicros).toBeGreaterThanOrEqual(3 * 300_000);
  expect(estimateAnswer(tokens, { ...pdf, contextTokens: 128_000 })!.mostMicros).toBe(
    3 * 128_000 + 15 * 100,
  );
  // A file may be audio, whose tokens cost more than text.
  const heard = [...tokens, price("input audio token", "9")];
  const song = { ...pdf, documents: 0, fileBytes: 200_000, contextTokens: 128_000 };
  expect(estimateAnswer(heard, song)!.mostMicros).toBe(9 * 128_000 + 15 * 100);
  expect(
    estimateAnswer([], {
      messages: 1,
      characters: 1,
      bytes: 1,
      pictures: 0,
      fileBytes: 0,
      outputTokens: 1,
    }),
  ).toBeNull();
});

it("an answer that may search the web is bounded by its searches and by the input that each repeats", () => {
  const searching = [
    price("input token", "1.25"),
    price("output token", "10"),
    price("web search", "10000"),
  ];
  const asked = {
    messages: 1,
    characters: 40,
    bytes: 40,
    pictures: 0,
    fileBytes: 0,
    outputTokens: 2_000,
  };
  const cost = costOfUsage(searching, {
    inputTokens: 400_000,
    outputTokens: 2_000,
    units: { "web searches": "3" },
  })!;
  const estimate = estimateAnswer(searching, {
    ...asked,
    contextTokens: 100_000,
    tools: ["webSearch"],
    toolUses: 3,
  })!;
  expect(estimate.mostMicros).toBe(cost);
  expect(estimate.likelyMicros).toBeGreaterThan(10_000);
  // Unbounded without a limit in the request, and with an unknown context window.
  expect(
    estimateAnswer(searching, {
      ...asked,
      contextTokens: 100_000,
      tools: ["webSearch"],
      toolUses: null,
    })!.mostMicros,
  ).toBeNull();
  expect(
    estimateAnswer(searching, { ...asked, tools: ["webSearch"], toolUses: 3 })!.mostMicros,
  ).toBeNull();
});

it("an answer that may use several tools is bounded as if every use were of the most expensive", () => {
  const prices = [
    price("input token", "1"),
    price("output token", "10"),
    price("web search", "10000"),
    price("code session", "30000"),
    price("tool picture", "40000"),
  ];
  const size = {
    messages: 1,
    characters: 40,
    bytes: 40,
    pictures: 0,
    fileBytes: 0,
    outputTokens: 100,
    contextTokens: 1_000,
  };
  const most = (tools: ("webSearch" | "codeInterpreter" | "imageTool")[]) =>
    estimateAnswer(prices, { ...size, tools, toolUses: 3 })!.mostMicros;
  const read = 4 * 1_000 + 100 * 10;
  expect(most(["codeInterpreter"])).toBe(read + 90_000);
  expect(most(["webSearch", "imageTool", "codeInterpreter"])).toBe(read + 120_000);
  expect(
    costOfUsage(prices, {
      inputTokens: 1,
      outputTokens: 1,
      units: { "code sessions": "1", "tool pictures": "2" },
    }),
  ).toBe(11 + 30_000 + 80_000);
});

it("an embedding costs at most its bytes as tokens, for a text, a batch or tokens", () => {
  const model = {
    prices: [price("input token", "2")],
    capabilities: {},
    inputSchema: { type: "object", properties: { input: { type: "string" } } },
    tasks: ["embedding" as const],
  };
  expect(estimateRun(model, { input: "quayquay" })).toEqual({ likelyMicros: 4, mostMicros: 16 });
  expect(estimateRun(model, { input: ["quay", "\u00e9\u00e9"] })).toEqual({
    likelyMicros: 4,
    mostMicros: 16,
  });
  expect(estimateRun(model, { input: [[1, 2, 3], [4]] })).toEqual({
    likelyMicros: 8,
    mostMicros: 8,
  });
});

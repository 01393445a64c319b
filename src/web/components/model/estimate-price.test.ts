import { expect, it } from "vitest";
import { secondsOfRecordings } from "#domain/money/prices.ts";
import { sumPrices } from "../../messages/format.ts";
import { estimatePrice } from "./estimate-price.ts";

const priced = (unit: string, micros: string, most?: number) => ({
  inputSchema: {
    type: "object",
    properties: { image_size: {}, width: {}, height: {}, duration: {}, num_images: {} },
  },
  prices: [{ unit, micros, source: "test", at: 0 }],
  ceilingMicros: null as number | null,
  capabilities: most ? { countField: { name: "num_images", most } } : {},
});

it("a price per picture is multiplied by the number of pictures", () => {
  expect(estimatePrice(priced("images", "40000"), { input: {}, variants: 4 })).toEqual({
    kind: "about",
    micros: 160_000,
    mostMicros: 160_000,
  });
});

it("a price per run counts the runs, even if one gives several pictures", () => {
  expect(estimatePrice(priced("generations", "30000", 4), { input: {}, variants: 6 })).toEqual({
    kind: "about",
    micros: 60_000,
    mostMicros: 60_000,
  });
});

it("a price per megapixel uses a named size, a custom size, or width and height", () => {
  const model = priced("megapixels", "25000");
  expect(estimatePrice(model, { input: { image_size: "square_hd" }, variants: 1 })).toEqual({
    kind: "about",
    micros: 26_215,
    mostMicros: 50_000,
  });
  expect(
    estimatePrice(model, { input: { image_size: { width: 1000, height: 1000 } }, variants: 2 }),
  ).toEqual({
    kind: "about",
    micros: 50_000,
    mostMicros: 50_000,
  });
  expect(estimatePrice(model, { input: { width: 2000, height: 1000 }, variants: 1 })).toEqual({
    kind: "about",
    micros: 50_000,
    mostMicros: 50_000,
  });
});

it("durations are numbers, or text with or without an s", () => {
  const model = priced("seconds", "100000");
  for (const duration of [8, "8", "8s"])
    expect(estimatePrice(model, { input: { duration }, variants: 1 })).toEqual({
      kind: "about",
      micros: 800_000,
      mostMicros: 800_000,
    });
});

it("a per-minute transcription costs its recordings' length, and is unknown until all lengths are known", () => {
  const model = {
    ...priced("minutes", "6000"),
    inputSchema: { type: "object", properties: { file: {} } },
  };
  const ask = { input: { file: "asset:1" }, variants: 1 };
  const heard = secondsOfRecordings([
    { kind: "audio", durationMs: 60_000 },
    { kind: "video", durationMs: 30_000 },
    { kind: "image", durationMs: null },
  ]);
  expect(estimatePrice(model, ask, heard)).toEqual({
    kind: "about",
    micros: 9_000,
    mostMicros: 12_000,
  });
  const unknown = secondsOfRecordings([{ kind: "audio", durationMs: null }]);
  expect(estimatePrice(model, ask, unknown)).toEqual({ kind: "unknown" });
});

it("a price that only the run can tell is unknown, and so is a sum with it", () => {
  expect(estimatePrice(priced("compute seconds", "1110"), { input: {}, variants: 1 })).toEqual({
    kind: "unknown",
  });
  expect(estimatePrice(priced("megapixels", "25000"), { input: {}, variants: 1 })).toEqual({
    kind: "unknown",
  });
  expect(estimatePrice({ ...priced("run", "1"), prices: [] }, { input: {}, variants: 1 })).toEqual({
    kind: "unknown",
  });
  expect(sumPrices([{ kind: "free" }, { kind: "unknown" }])).toEqual({ kind: "unknown" });
});

it("a free part is free, alone and next to a paid one", () => {
  expect(estimatePrice(priced("run", "0"), { input: {}, variants: 4 })).toEqual({ kind: "free" });
  expect(sumPrices([{ kind: "free" }, { kind: "about", micros: 5, mostMicros: 5 }])).toEqual({
    kind: "about",
    micros: 5,
    mostMicros: 5,
  });
});

it("a ceiling bounds an unknown price and isn't an estimate", () => {
  const model = { ...priced("compute seconds", "1110"), ceilingMicros: 90_000 };
  expect(estimatePrice(model, { input: {}, variants: 2 })).toEqual({
    kind: "at-most",
    micros: 180_000,
  });
  const about = { kind: "about", micros: 5, mostMicros: 7 } as const;
  expect(sumPrices([about, { kind: "at-most", micros: 3 }])).toEqual({
    kind: "at-most",
    micros: 10,
  });
});

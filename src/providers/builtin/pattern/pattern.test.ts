import sharp from "sharp";
import { expect, it } from "vitest";
import {
  askAdapter,
  collectParts,
  fileOf,
  sha256,
} from "../../../../test/support/contracts/answer.ts";
import type { AnswerPart } from "../../adapter.ts";
import { builtin } from "../adapter.ts";
import { designPattern } from "./design.ts";
import { kindNames } from "./kinds/index.ts";
import { paletteNames } from "./palettes.ts";
import { readPatternSettings } from "./settings.ts";
import { readPrompt } from "./words.ts";

const small = { width: 320, height: 240 };
const draw = (input: object) =>
  collectParts(
    askAdapter(builtin, {
      model: "pattern",
      task: "image",
      input: { image_size: small, ...input },
    }),
  );
const settings = {
  prompt: "",
  ...small,
  seed: 1,
  style: "auto",
  palette: "auto",
  density: "auto",
} as const;

it("gives the same bytes for the same settings and seed, and different ones for another seed", async () => {
  const input = { prompt: "a quiet harbour", seed: 11 };
  const [first, again, other] = await Promise.all([
    draw(input),
    draw(input),
    draw({ ...input, seed: 12 }),
  ]);
  expect(sha256(fileOf(again).bytes)).toBe(sha256(fileOf(first).bytes));
  expect(sha256(fileOf(other).bytes)).not.toBe(sha256(fileOf(first).bytes));
});

it("draws the same picture whatever the machine's language and time zone", () => {
  const drawing = JSON.stringify(designPattern({ ...settings, seed: 5 }));
  const { LANG, TZ } = process.env;
  Object.assign(process.env, { LANG: "tr_TR.UTF-8", TZ: "Asia/Tokyo" });
  expect(JSON.stringify(designPattern({ ...settings, seed: 5 }))).toBe(drawing);
  Object.assign(process.env, { LANG: LANG ?? "", TZ: TZ ?? "" });
});

it("gives a PNG of the requested size, without metadata", async () => {
  const file = fileOf(
    await draw({ prompt: "dunes", image_size: { width: 333, height: 222 }, seed: 3 }),
  );
  const facts = await sharp(file.bytes).metadata();
  expect(facts).toMatchObject({ format: "png", width: 333, height: 222 });
  expect([facts.exif, facts.icc, facts.xmp, facts.comments]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(file).toMatchObject({ mime: "image/png", width: 333, height: 222 });
});

it("reports each painted layer, previews before the first, and finishes at no cost", async () => {
  const parts = await draw({ prompt: "sea", seed: 4 });
  const steps = parts.flatMap((part) => (part.type === "progress" ? [part] : []));
  const total = designPattern({ ...settings, prompt: "sea", seed: 4 }).layers.length;
  expect(steps.map(({ done }) => done)).toEqual(
    Array.from({ length: total + 1 }, (_, index) => index),
  );
  expect(new Set(steps.map((step) => step.total))).toEqual(new Set([total]));
  expect(parts.findIndex(({ type }) => type === "preview")).toBeLessThan(
    parts.findIndex((part) => part.type === "progress" && part.done > 0),
  );
  expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "stop", costMicros: 0 });
});

it("previews exactly the picture that follows", async () => {
  const parts = await draw({ prompt: "arches", seed: 9 });
  const preview = parts.findLast(
    (part): part is AnswerPart & { type: "preview" } => part.type === "preview",
  )!;
  const shrink = (bytes: Uint8Array) =>
    sharp(bytes).resize(16, 12, { fit: "fill" }).removeAlpha().raw().toBuffer();
  const [small, whole] = await Promise.all([shrink(preview.bytes), shrink(fileOf(parts).bytes)]);
  const difference =
    small.reduce((sum, value, index) => sum + Math.abs(value - whole[index]!), 0) / small.length;
  expect(difference).toBeLessThan(8);
});

it("stops in the middle when canceled and paints no further layer", async () => {
  const canceller = new AbortController();
  const painted: number[] = [];
  const input = { prompt: "a dense sea", seed: 4, image_size: { width: 2048, height: 2048 } };
  const run = async () => {
    for await (const part of askAdapter(builtin, {
      model: "pattern",
      input,
      signal: canceller.signal,
    })) {
      if (part.type !== "progress") continue;
      painted.push(part.done);
      if (part.done === 2) canceller.abort(new Error("cancelled by a person"));
    }
  };
  await expect(run()).rejects.toThrow("cancelled by a person");
  expect(painted).toEqual([0, 1, 2]);
});

it("reads kind, colors and fullness from the prompt, in singular and plural", () => {
  expect(readPrompt("Quiet mountains at night")).toEqual({
    kind: "hills",
    palette: "night",
    density: "sparse",
  });
  expect(readPrompt("a crowded garden in autumn")).toEqual({
    kind: "hills",
    palette: "autumn",
    density: "dense",
  });
  expect(readPrompt("the Sea")).toMatchObject({ kind: "sea", palette: "ocean" });
  expect(readPrompt("grüße")).toEqual({ kind: undefined, palette: undefined, density: undefined });
});

it("lets the prompt choose if a saved input names a kind of an earlier version", () => {
  const { style } = readPatternSettings({ prompt: "quiet hills", style: "plant" });
  expect(style).toBe("auto");
});

it("lets a chosen setting override the prompt, and keeps a prompt's kind across seeds", () => {
  expect(
    designPattern({ ...settings, prompt: "the sea in autumn", style: "flow", palette: "mono" }),
  ).toMatchObject({
    kind: "flow",
    palette: "mono",
  });
  const kinds = Array.from(
    { length: 12 },
    (_, seed) => designPattern({ ...settings, prompt: "xyzzy", seed }).kind,
  );
  expect(new Set(kinds).size).toBe(1);
});

it("draws every kind in every palette, as SVG that every reader understands", () => {
  for (const style of kindNames) {
    for (const [seed, palette] of paletteNames.entries()) {
      const { layers } = designPattern({
        ...settings,
        style,
        palette,
        seed,
        density: seed % 2 ? "dense" : "sparse",
      });
      expect(layers.length, `${style} ${palette}`).toBeGreaterThan(1);
      const numbers = JSON.stringify(layers).replace(/#[0-9a-f]{6}/g, "");
      expect(
        /NaN|undefined|Infinity|\de[-+]?\d/.exec(numbers)?.[0],
        `${style} ${palette}`,
      ).toBeUndefined();
    }
  }
});

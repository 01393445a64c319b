import { z } from "zod";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type ModelFacts,
  ProviderError,
  type RealtimeAdapter,
  type RealtimeFrame,
  type RealtimeInput,
} from "../../adapter.ts";
import { invalidInput, pictureField, readInput, toInputSchema } from "../input.ts";
import { designPattern } from "../pattern/design.ts";
import { hashText } from "../pattern/random.ts";

/** Frames have the size of a canvas on screen; larger drawings are scaled down. */
const maxSide = 768;

const input = z.strictObject({
  prompt: z.string().trim().max(limits.promptCharacters).default("").meta({
    title: "Prompt",
    description: "The prompt chooses the pattern behind your strokes, its colors and its density.",
  }),
  strength: z.number().min(0).max(1).default(0.5).meta({
    title: "Strength",
    description: "0 leaves your strokes as they are; at 1 they are soft shadows on the pattern.",
  }),
  seed: z
    .int()
    .min(0)
    .max(0xffff_ffff)
    .optional()
    .meta({ title: "Seed", description: "The same prompt and seed give the same pattern." }),
  drawing: pictureField("Drawing", "The drawing on the canvas.").optional(),
});

/**
 * The pattern model for the live canvas: the drawing over a procedural picture, rendered again at
 * each change.
 */
export const patternLive: Omit<ModelFacts, "price" | "limits" | "status"> = {
  id: "pattern-live",
  name: "Pattern, live (procedural)",
  description:
    "Draws your strokes over a procedural picture of your prompt and a seed. Runs on this machine without an image model or network.",
  tasks: ["live"],
  inputModalities: ["text", "image"],
  outputModalities: ["image"],
  inputSchema: toInputSchema(input, "Pattern, live"),
  capabilities: { deterministic: true, seed: true, live: { drawing: "drawing" } },
};

/**
 * Sessions of the pattern model, without a service or an address. libvips' own threads render each
 * input.
 */
export const realtime: RealtimeAdapter = {
  async open(model, context, on) {
    if (model.id !== patternLive.id) throw new ProviderError("model_gone", "no");
    const paint = createPainter();
    let isClosed = false;
    context.signal.addEventListener("abort", () => (isClosed = true), { once: true });
    return {
      send(change) {
        paint(change).then(
          (frame) => isClosed || on.frames([frame]),
          (error: unknown) => {
            if (isClosed) return;
            if (error instanceof ProviderError) on.refused(error);
            else on.closed(new ProviderError("internal", "no", {}, { cause: error }));
          },
        );
      },
      close() {
        isClosed = true;
      },
    };
  },
};

type Pattern = { key: string; pixels: Buffer };

/**
 * Caches the pattern of the last prompt and seed, because only the drawing changes while a person
 * draws.
 */
function createPainter(): (change: RealtimeInput) => Promise<RealtimeFrame> {
  let last: Pattern | undefined;
  return async ({ settings, drawing }) => {
    const { default: sharp } = await import("sharp");
    const { prompt, strength, seed = hashText(prompt) } = readSettings(settings);
    const picture =
      drawing &&
      sharp(drawing.bytes, { limitInputPixels: 4096 * 4096 })
        .rotate()
        .flatten({ background: "#fff" });
    const fitted = await picture
      ?.resize({ width: maxSide, height: maxSide, fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .blur(0.3 + strength * 18)
      // Toward white, which multiplication leaves unchanged.
      .linear(1 - 0.75 * strength, 255 * 0.75 * strength)
      .raw()
      .toBuffer({ resolveWithObject: true })
      .catch((cause: unknown) => {
        throw invalidInput("drawing", sentences.media.drawingUnreadable, cause);
      });
    const width = fitted?.info.width ?? maxSide;
    const height = fitted?.info.height ?? maxSide;
    const key = JSON.stringify([prompt, seed, width, height]);
    if (last?.key !== key)
      last = { key, pixels: await paintPattern({ prompt, seed, width, height }) };
    const base = sharp(last.pixels, { raw: { width, height, channels: 3 } });
    const drawn = fitted
      ? base.composite([{ input: fitted.data, raw: fitted.info, blend: "multiply" }])
      : base;
    const bytes = await drawn.webp({ quality: 82, effort: 1 }).toBuffer();
    return { mime: "image/webp", bytes, width, height, seed };
  };
}

const readSettings = (settings: JsonObject) => readInput(input, settings);

async function paintPattern(wanted: {
  prompt: string;
  seed: number;
  width: number;
  height: number;
}): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  const { width, height } = wanted;
  const { layers } = designPattern({ ...wanted, style: "auto", palette: "auto", density: "auto" });
  const sheets = layers.map(({ svg }) => ({
    input: Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${svg}</svg>`,
    ),
  }));
  return sharp({ create: { width, height, channels: 3, background: "#fff" } })
    .composite(sheets)
    .removeAlpha()
    .raw()
    .toBuffer();
}

import { z } from "zod";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { readInput } from "../input.ts";
import type { PatternSettings } from "./design.ts";
import { kindNames, removedKinds } from "./kinds/index.ts";
import { paletteNames } from "./palettes.ts";
import { hashText } from "./random.ts";

/** Pixels, width then height. */
const sizes = {
  landscape_4_3: [1024, 768],
  landscape_16_9: [1280, 720],
  portrait_4_3: [768, 1024],
  portrait_16_9: [720, 1280],
  square: [768, 768],
  square_hd: [1536, 1536],
} as const;
const sizeNames = Object.keys(sizes) as [keyof typeof sizes, ...(keyof typeof sizes)[]];

/** With sides up to 2,048 pixels, a picture's layers take 16 MB each as 8-bit RGBA. */
const side = (title: string) =>
  z.int().min(64).max(2048).meta({ title, description: "In pixels, 64 to 2048." });

export const patternInput = z.strictObject({
  prompt: z.string().trim().min(1, sentences.media.promptNeeded).max(limits.promptCharacters).meta({
    title: "Prompt",
    description:
      "The prompt chooses the kind, the colors and the density: “quiet hills at dusk”, “a harbor in autumn”.",
  }),
  image_size: z
    .union([
      z.enum(sizeNames).meta({ title: "Named size" }),
      z
        .strictObject({ width: side("Width"), height: side("Height") })
        .meta({ title: "Custom size" }),
    ])
    .default("landscape_4_3")
    .meta({ title: "Size" }),
  style: z
    .union([z.enum(["auto", ...kindNames]), z.enum(removedKinds).meta({ deprecated: true })])
    .default("auto")
    .meta({ title: "Kind", description: "The motif. Auto reads it from the prompt." }),
  palette: z
    .enum(["auto", ...paletteNames])
    .default("auto")
    .meta({
      title: "Colors",
      description: "Auto reads them from the prompt or lets the seed choose.",
    }),
  density: z
    .enum(["auto", "sparse", "medium", "dense"])
    .default("auto")
    .meta({ title: "Fullness", description: "How dense the picture is." }),
  seed: z.int().min(0).max(0xffff_ffff).optional().meta({
    title: "Seed",
    description: "The same settings and seed give the same picture, byte for byte.",
  }),
});

/**
 * The default seed is derived from the prompt, so that the result depends only on the input.
 * @throws ProviderError("provider_invalid_input")
 */
export function readPatternSettings(input: JsonObject): PatternSettings {
  const { image_size: size, seed, style: kind, ...rest } = readInput(patternInput, input);
  const [width, height] = typeof size === "string" ? sizes[size] : [size.width, size.height];
  // If a saved input names a removed kind, the prompt chooses.
  const style = kind === "cuts" || kind === "plant" ? "auto" : kind;
  return { ...rest, style, width, height, seed: seed ?? hashText(rest.prompt) };
}

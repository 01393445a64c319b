import { type KindName, kindNames, kinds } from "./kinds/index.ts";
import type { Layer } from "./kinds/kind.ts";
import { type PaletteName, paletteNames, palettes } from "./palettes.ts";
import { createRandom, hashText } from "./random.ts";
import { type Density, readPrompt } from "./words.ts";

export type PatternSettings = {
  prompt: string;
  width: number;
  height: number;
  seed: number;
  style: KindName | "auto";
  palette: PaletteName | "auto";
  density: Density | "auto";
};

export type Design = { kind: KindName; palette: PaletteName; density: Density; layers: Layer[] };

const fullness: Record<Density, number> = { sparse: 0.12, medium: 0.5, dense: 1 };

/**
 * Designs the whole drawing. An explicit setting wins over the words of the prompt. If neither
 * decides, the kind follows from the prompt as a whole, and palette and composition from the seed.
 * Nothing else matters: not the clock, the locale or the machine.
 */
export function designPattern(settings: PatternSettings): Design {
  const parsed = readPrompt(settings.prompt);
  const random = createRandom(`pattern ${settings.seed}`);
  const chosen = <T extends string>(setting: T | "auto"): T | undefined =>
    setting === "auto" ? undefined : setting;
  const kind =
    chosen(settings.style) ??
    parsed.kind ??
    kindNames[hashText(settings.prompt) % kindNames.length]!;
  const palette =
    chosen(settings.palette) ?? parsed.palette ?? random.fork("palette").pick(paletteNames);
  const density = chosen(settings.density) ?? parsed.density ?? "medium";
  const { width, height } = settings;
  const canvas = {
    width,
    height,
    unit: Math.min(width, height) / 100,
    palette: palettes[palette],
    random: random.fork(kind),
    fullness: fullness[density],
  };
  return { kind, palette, density, layers: kinds[kind](canvas) };
}

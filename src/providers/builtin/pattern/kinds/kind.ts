import type { Palette } from "../palettes.ts";
import type { Random } from "../random.ts";

/** What a picture is drawn on. `unit` is a hundredth of the shorter side, so that a drawing keeps its look at every size. */
export type Canvas = {
  width: number;
  height: number;
  unit: number;
  palette: Palette;
  random: Random;
  fullness: number;
};

/** A part of the picture as SVG, drawn over those before it. The first covers everything. */
export type Layer = { name: string; svg: string };

export type Kind = (canvas: Canvas) => Layer[];

export const ground = (canvas: Canvas, fill: string): string =>
  `<rect width="${canvas.width}" height="${canvas.height}" fill="${fill}"/>`;

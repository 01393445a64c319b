import type { Palette } from "../palettes.ts";
import type { Random } from "../random.ts";

/**
 * The drawing surface. `unit` is a hundredth of the shorter side, so that a drawing looks alike at
 * every size.
 */
export type Canvas = {
  width: number;
  height: number;
  unit: number;
  palette: Palette;
  random: Random;
  fullness: number;
};

/** A part of the picture as SVG, drawn over the previous ones. The first covers everything. */
export type Layer = { name: string; svg: string };

export type Kind = (canvas: Canvas) => Layer[];

export const ground = (canvas: Canvas, fill: string): string =>
  `<rect width="${canvas.width}" height="${canvas.height}" fill="${fill}"/>`;

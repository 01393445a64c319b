/**
 * Widths of thumbnails in pixels: a tile, a tile on a high-density screen, a large view. A smaller
 * picture is never enlarged.
 */
export const thumbWidths = [320, 640, 1_280] as const;
export type ThumbWidth = (typeof thumbWidths)[number];

export const posterWidth = 1_920;
export const waveformPeaks = 200;

/**
 * Every readable picture or video has all widths, so an address can be built without checking which
 * exist.
 */
export function thumbVariant(width: ThumbWidth): string {
  return `thumb-${width}.webp`;
}

/** A frame of a video, WebP. */
export const posterVariant = "poster.webp";

/** JSON: `waveformPeaks` numbers from 0 to 1, the loudest sample of each equal span of time. */
export const waveformVariant = "waveform.json";

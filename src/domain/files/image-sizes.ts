/** fal's named sizes in pixels, width then height (fal.ai, ImageSize presets). */
export const presetSizes: ReadonlyMap<string, readonly [width: number, height: number]> = new Map([
  ["square_hd", [1024, 1024]],
  ["square", [512, 512]],
  ["portrait_4_3", [768, 1024]],
  ["portrait_16_9", [576, 1024]],
  ["landscape_4_3", [1024, 768]],
  ["landscape_16_9", [1024, 576]],
]);

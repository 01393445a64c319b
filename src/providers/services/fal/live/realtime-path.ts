/**
 * fal's path for its realtime protocol (docs.fal.ai, "Realtime endpoints": it must be /realtime).
 */
const path = "/realtime";

/**
 * `owner/alias` is reached at `owner/alias/realtime`, and an id that already ends so at itself, as
 * in fal's client 1.10.1.
 */
export const realtimePath = (model: string): string =>
  model.endsWith(path) ? model : `${model}${path}`;

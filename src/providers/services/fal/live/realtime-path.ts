/** fal's own path of what speaks its realtime protocol (docs.fal.ai, "Realtime endpoints": it has to be /realtime). */
const path = "/realtime";

/** `owner/alias` is spoken to at `owner/alias/realtime`, and an id that ends so at itself, as fal's client 1.10.1 does. */
export const realtimePath = (model: string): string =>
  model.endsWith(path) ? model : `${model}${path}`;

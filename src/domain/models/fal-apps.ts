/** The most seconds in which a token opens a socket, and the time that fal's client requests. */
export const socketTokenSeconds = 120;
/** Endpoints of these owners have one more segment (fal's client 1.10.1, parseEndpointId). */
const namespaces = ["workflows", "comfy"];
/**
 * fal's path for its realtime protocol (docs.fal.ai, "Realtime endpoints": it must be /realtime).
 */
const realtime = "/realtime";

/** Returns the app of a model: owner and alias, after its namespace if it has one. */
export function appOf(modelId: string): string {
  const parts = modelId.split("/");
  return parts.slice(0, namespaces.includes(parts[0] ?? "") ? 3 : 2).join("/");
}

/** "owner/alias/path" is the app "alias". */
export const aliasOf = (modelId: string): string => appOf(modelId).split("/").at(-1) ?? modelId;

/** Returns a model's endpoint without fal's realtime path. */
export const endpointOf = (modelId: string): string =>
  modelId.endsWith(realtime) ? modelId.slice(0, -realtime.length) : modelId;

/**
 * `owner/alias` is reached at `owner/alias/realtime`, and an id that already ends so at itself, as
 * in fal's client 1.10.1.
 */
export const realtimePath = (modelId: string): string => `${endpointOf(modelId)}${realtime}`;

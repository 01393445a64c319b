import { hostedKind } from "../../wire/kind-fields.ts";

/**
 * Luma's Dream Machine API (https://docs.lumalabs.ai/docs/api), called directly, because its client
 * polls by itself and makes no videos.
 */
export const lumaKind = hostedKind({
  kind: "luma",
  name: "Luma",
  summary: "Ray videos and Photon pictures.",
  group: "media",
  keyHint: "From lumalabs.ai, under Dream Machine API, Keys.",
  api: "https://api.lumalabs.ai",
  environmentKeys: ["LUMAAI_API_KEY", "LUMA_API_KEY"],
  tasks: ["video", "image"],
});

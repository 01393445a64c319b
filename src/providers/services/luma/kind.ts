import type { ConnectionKind } from "../../adapter.ts";

/** Luma's Dream Machine API (https://docs.lumalabs.ai/docs/api). By the API itself: its client asks by itself until a picture is there, and makes no films. */
export const lumaKind: ConnectionKind = {
  kind: "luma",
  name: "Luma",
  summary: "Ray videos and Photon pictures.",
  docs: "luma.md",
  fields: [
    {
      name: "key",
      label: "API key",
      kind: "secret",
      required: true,
      hint: "From lumalabs.ai, under Dream Machine API, Keys.",
    },
    {
      name: "api",
      label: "Base URL",
      kind: "url",
      required: false,
      address: "api",
      advanced: true,
      placeholder: "https://api.lumalabs.ai",
    },
  ],
  addresses: { api: "https://api.lumalabs.ai" },
  environmentKeys: ["LUMAAI_API_KEY", "LUMA_API_KEY"],
  tasks: ["video", "image"],
};

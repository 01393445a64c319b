import type { ConnectionKind } from "../../adapter.ts";

const api = "http://127.0.0.1:8188";

/**
 * A local ComfyUI, through its HTTP and socket API. Protocol and sources:
 * docs/providers/comfyui.md.
 */
export const comfyuiKind: ConnectionKind = {
  kind: "comfyui",
  name: "ComfyUI",
  summary: "Your workflows for pictures, video and sound, free of charge.",
  group: "own",
  docs: "comfyui.md",
  free: true,
  fields: [
    {
      name: "address",
      label: "Address",
      kind: "url",
      required: false,
      placeholder: api,
      hint: "Leave it empty for ComfyUI on this machine.",
      address: "api",
    },
    {
      name: "key",
      label: "Key",
      kind: "secret",
      required: false,
      hint: "Only if a proxy in front of ComfyUI requires one.",
      advanced: true,
    },
    {
      name: "header",
      label: "Key header",
      kind: "text",
      required: false,
      placeholder: "Authorization",
      hint: "Only if the proxy reads the key from another header.",
      advanced: true,
    },
  ],
  addresses: { api },
  tasks: [
    "image",
    "edit",
    "upscale",
    "background-removal",
    "video",
    "music",
    "speech",
    "3d",
    "other",
  ],
  hasWorkflows: true,
  // Until its owner clears the folder; a preview, until the server is restarted.
  outputLifetimeMs: 30 * 24 * 60 * 60_000,
};

import type { ConnectionKind } from "../../adapter.ts";
import { baseUrlField, keyField } from "../../wire/kind-fields.ts";

/**
 * How long Replicate keeps a prediction's data and output files
 * (https://replicate.com/docs/topics/predictions/data-retention).
 */
export const outputLifetimeMs = 60 * 60_000;

/**
 * Replicate's API (https://replicate.com/docs/reference/http), called directly, because its client
 * polls predictions by itself.
 */
export const replicateKind: ConnectionKind = {
  kind: "replicate",
  name: "Replicate",
  summary: "Pictures, video, sound and 3D from open and hosted models, each with its own settings.",
  group: "media",
  docs: "replicate.md",
  fields: [
    keyField({ label: "API token", hint: "From replicate.com, under Account, API tokens." }),
    {
      name: "models",
      label: "More models",
      kind: "text",
      required: false,
      placeholder: "owner/name, owner/other=video",
      hint: "Separated by commas. A model’s kind of output may follow its name.",
    },
    {
      name: "collections",
      label: "More collections",
      kind: "text",
      required: false,
      advanced: true,
      hint: "Names as in replicate.com/collections, separated by commas.",
    },
    {
      name: "searches",
      label: "Model searches",
      kind: "text",
      required: false,
      advanced: true,
      hint: "Search terms, separated by commas.",
    },
    baseUrlField("https://api.replicate.com"),
  ],
  addresses: { api: "https://api.replicate.com" },
  environmentKeys: ["REPLICATE_API_TOKEN"],
  tasks: [
    "image",
    "edit",
    "upscale",
    "background-removal",
    "video",
    "speech",
    "music",
    "transcription",
    "3d",
    "other",
  ],
  outputLifetimeMs,
  jobLifetimeMs: outputLifetimeMs,
};

import type { ConnectionKind } from "../../adapter.ts";
import { keyField } from "../../wire/kind-fields.ts";

/** The hosts of fal. A gateway or a simulator may replace each. */
export const falAddresses = {
  queue: "https://queue.fal.run",
  run: "https://fal.run",
  rest: "https://rest.fal.ai",
  api: "https://api.fal.ai",
  realtime: "wss://fal.run",
} as const;
export type FalDoor = keyof typeof falAddresses;

/** The URL at which fal publishes its signing keys (docs.fal.ai, "Webhooks"). */
export const webhookKeys = "https://rest.alpha.fal.ai/.well-known/jwks.json";

/**
 * Files at fal expire after a week: longer than our own retries, and than the queue in a bad week.
 * A signature can't last longer.
 */
export const fileLifetimeSeconds = 7 * 24 * 60 * 60;

const addressLabels: Record<keyof typeof falAddresses, string> = {
  queue: "Queue address",
  run: "Direct run address",
  rest: "Storage address",
  api: "Platform address",
  realtime: "Realtime address",
};

/**
 * fal.ai: pictures, video, sound and 3D from many makers through one queue. Protocol and sources:
 * docs/providers/fal.md.
 */
export const falKind: ConnectionKind = {
  kind: "fal",
  name: "fal",
  summary: "Pictures, video, sound and 3D from more than a thousand hosted models.",
  group: "media",
  docs: "fal.md",
  runsOn: "hosted",
  fields: [
    keyField({ hint: "From fal.ai, Dashboard, Keys. The scope API is enough." }),
    {
      name: "fileAccess",
      label: "Files at fal",
      kind: "choice",
      required: false,
      choices: ["private", "link"],
      hint: "private: only this account can open the files. link: anyone with the address can, for keys that can’t sign addresses.",
      advanced: true,
    },
    {
      name: "runs",
      label: "Run mode",
      kind: "choice",
      required: false,
      choices: ["queue", "direct"],
      hint: "queue: fal stores results until Bottega has them, with place, log, progress and cancel. direct: an idle model answers at once, without any of these. A lost answer can’t be recovered.",
      advanced: true,
    },
    {
      name: "streamModels",
      label: "Models that stream",
      kind: "text",
      required: false,
      hint: "IDs separated by commas. Their runs use the model’s /stream and show partial results. As with direct, a lost answer can’t be recovered.",
      advanced: true,
    },
    {
      name: "realtimeTokens",
      label: "Live session tokens",
      kind: "choice",
      required: false,
      choices: ["app", "path"],
      hint: "app: for the model’s app, as fal’s client requests them. path: for the whole endpoint, if the key’s permissions require it.",
      advanced: true,
    },
    {
      name: "realtimeModels",
      label: "More models for Draw",
      kind: "text",
      required: false,
      hint: "IDs separated by commas, for realtime models that fal’s catalog does not mark as such.",
      advanced: true,
    },
    {
      name: "appOrigins",
      label: "Apps on other sites",
      kind: "text",
      required: false,
      hint: "Origins separated by commas, such as https://app.example.org. Their pages may use fal’s client with this Bottega as proxyUrl, and a key. Only applies to a connection for everyone.",
      advanced: true,
    },
    ...Object.entries(falAddresses).map(([address, placeholder]) => ({
      name: `${address}Address`,
      label: addressLabels[address as keyof typeof falAddresses],
      kind: "url" as const,
      required: false,
      placeholder,
      address,
      advanced: true,
    })),
    {
      name: "webhookKeysAddress",
      label: "Webhook keys address",
      kind: "url",
      required: false,
      placeholder: webhookKeys,
      address: "webhookKeys",
      advanced: true,
    },
  ],
  addresses: { ...falAddresses, webhookKeys },
  outputLifetimeMs: fileLifetimeSeconds * 1_000,
  environmentKeys: ["FAL_KEY"],
  tasks: [
    "image",
    "live",
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
  billKeyHint:
    "From fal.ai, Dashboard, Keys, with the scope ADMIN. The connection’s own key can’t read bills.",
};

import type { ConnectionKind } from "../../adapter.ts";

const api = "http://127.0.0.1:11434";

/**
 * Options of /api/chat that its form lacks and programs send under these names (docs/modelfile.mdx,
 * Valid Parameters).
 */
const ollamaParameters = [
  "top_k",
  "min_p",
  "typical_p",
  "repeat_penalty",
  "repeat_last_n",
  "presence_penalty",
  "frequency_penalty",
  "num_keep",
] as const;

/** A local Ollama, through its own API. Protocol and sources: docs/providers/ollama.md. */
export const ollamaKind: ConnectionKind = {
  kind: "ollama",
  name: "Ollama",
  summary: "Language models on this machine or network, free of charge.",
  group: "own",
  docs: "ollama.md",
  free: true,
  fields: [
    {
      name: "address",
      label: "Address",
      kind: "url",
      required: false,
      placeholder: api,
      hint: "Leave it empty for Ollama on this machine.",
      address: "api",
    },
    {
      name: "key",
      label: "Key",
      kind: "secret",
      required: false,
      hint: "Only if a proxy in front of Ollama requires one.",
      advanced: true,
    },
  ],
  addresses: { api },
  tasks: ["chat", "embedding"],
  embeds: { most: 256 },
  needsOutputLimit: true,
  hasLocalModels: true,
  passes: ollamaParameters,
};

import type { ConnectionKind } from "../../adapter.ts";

/** Cohere's API (https://docs.cohere.com/reference): its second version for chat and embeddings. */
export const cohereKind: ConnectionKind = {
  kind: "cohere",
  name: "Cohere",
  summary: "Command with tools, documents and citations. Embeddings.",
  docs: "cohere.md",
  fields: [
    {
      name: "key",
      label: "API key",
      kind: "secret",
      required: true,
      hint: "From dashboard.cohere.com, under API Keys.",
    },
    {
      name: "api",
      label: "Base URL",
      kind: "url",
      required: false,
      address: "api",
      advanced: true,
      placeholder: "https://api.cohere.com",
    },
  ],
  addresses: { api: "https://api.cohere.com" },
  environmentKeys: ["COHERE_API_KEY", "CO_API_KEY"],
  tasks: ["chat", "embedding"],
};

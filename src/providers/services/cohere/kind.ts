import { hostedKind } from "../../wire/kind-fields.ts";

/** Cohere's API (https://docs.cohere.com/reference): its second version for chat and embeddings. */
export const cohereKind = hostedKind({
  kind: "cohere",
  name: "Cohere",
  summary: "Command with tools, documents and citations. Embeddings.",
  group: "language",
  keyHint: "From dashboard.cohere.com, under API Keys.",
  api: "https://api.cohere.com",
  environmentKeys: ["COHERE_API_KEY", "CO_API_KEY"],
  tasks: ["chat", "embedding"],
  passes: ["top_k", "frequency_penalty", "presence_penalty"],
  // https://docs.cohere.com/reference/embed
  embeds: { most: 96 },
});

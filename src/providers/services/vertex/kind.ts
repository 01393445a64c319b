import type { ConnectionKind } from "../../adapter.ts";
import { defaultApi, vertexFields } from "./fields.ts";

/** Claude has none of them. */
const penalties: readonly string[] = ["frequency_penalty", "presence_penalty"];

/**
 * Google's models and its partners', through a Google Cloud account. Protocol and sources:
 * docs/providers/vertex.md.
 */
export const vertexKind: ConnectionKind = {
  kind: "vertex",
  name: "Google Vertex AI",
  summary: "Gemini, Imagen, Veo, Claude and open models, billed to a Google Cloud project.",
  group: "cloud",
  docs: "vertex.md",
  runsOn: "cloud",
  fields: vertexFields,
  addresses: {
    api: defaultApi,
    token: "https://oauth2.googleapis.com/token",
    storage: "https://storage.googleapis.com",
  },
  tasks: ["chat", "image", "video", "speech", "embedding"],
  // cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings
  embeds: { most: 250, size: 20_000, each: true },
  passes: ["top_k", "thinking_budget", ...penalties],
  // Claude has none, and Gemini since version 3 refuses them
  // (https://github.com/google-gemini/cookbook/issues/1290).
  lacksParameter: (modelId, name) =>
    (penalties.includes(name) && /^(anthropic\/|gemini-(?!1\.5|2\.))/.test(modelId)) ||
    (name === "thinking_budget" && !modelId.startsWith("anthropic/")),
  countsTokens: true,
  // A video's bytes are in its operation, which Google keeps for about two days; a bucket keeps it
  // as long as its owner configures.
  outputLifetimeMs: 24 * 60 * 60_000,
};

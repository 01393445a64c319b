import { hostedKind } from "../../wire/kind-fields.ts";

/** Gemini 2.5 refuses them here, although it accepts them at Vertex AI. */
const penalties: readonly string[] = ["frequency_penalty", "presence_penalty"];

/** The Gemini API (https://ai.google.dev/api). */
export const googleKind = hostedKind({
  kind: "google",
  name: "Google Gemini",
  summary:
    "Gemini with thinking, tools and Google Search. Pictures, Veo videos, speech, embeddings.",
  group: "language",
  runsOn: "hosted",
  keyHint: "From aistudio.google.com, under Get API key.",
  api: "https://generativelanguage.googleapis.com/v1beta",
  more: [
    {
      name: "models",
      label: "More models",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: '[{"id": "gemini-new-image", "task": "image"}]',
      hint: "A JSON list of id and task (chat, image, speech, embedding), for models that are not listed or whose task is unknown.",
    },
  ],
  environmentKeys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  tasks: ["chat", "image", "video", "speech", "embedding"],
  passes: ["top_k", ...penalties],
  // Models since Gemini 2.5 refuse them ("Penalty is not enabled",
  // https://github.com/google-gemini/cookbook/issues/1290).
  lacksParameter: (modelId, name) =>
    penalties.includes(name) && !/^gemini-(1\.5|2\.0)\b/.test(modelId),
  countsTokens: true,
  // https://ai.google.dev/api/embeddings#method:-models.batchembedcontents
  embeds: { most: 100 },
  // Videos are stored for two days (https://ai.google.dev/gemini-api/docs/video).
  outputLifetimeMs: 2 * 24 * 60 * 60_000,
  jobLifetimeMs: 2 * 24 * 60 * 60_000,
});

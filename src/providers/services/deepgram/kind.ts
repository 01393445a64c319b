import type { ConnectionKind } from "../../adapter.ts";

/** Deepgram's API (https://developers.deepgram.com/reference). By the API itself: two calls, and all that they tell is kept. */
export const deepgramKind: ConnectionKind = {
  kind: "deepgram",
  name: "Deepgram",
  summary: "Transcripts with speakers and times, and voices.",
  docs: "deepgram.md",
  fields: [
    {
      name: "key",
      label: "API key",
      kind: "secret",
      required: true,
      hint: "From console.deepgram.com, under API Keys. The role Member is enough.",
    },
    {
      name: "api",
      label: "Base URL",
      kind: "url",
      required: false,
      address: "api",
      advanced: true,
      placeholder: "https://api.deepgram.com",
      hint: "https://api.eu.deepgram.com for data that stays in Europe.",
    },
  ],
  addresses: { api: "https://api.deepgram.com" },
  environmentKeys: ["DEEPGRAM_API_KEY"],
  tasks: ["transcription", "speech"],
};

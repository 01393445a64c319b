import { hostedKind } from "../../wire/kind-fields.ts";

/**
 * Deepgram's API (https://developers.deepgram.com/reference), called directly: it has two calls,
 * whose whole responses are saved.
 */
export const deepgramKind = hostedKind({
  kind: "deepgram",
  name: "Deepgram",
  summary: "Transcripts with speakers and times, and voices.",
  group: "media",
  keyHint: "From console.deepgram.com, under API Keys. The role Member is enough.",
  api: "https://api.deepgram.com",
  apiHint: "https://api.eu.deepgram.com for data that stays in Europe.",
  environmentKeys: ["DEEPGRAM_API_KEY"],
  tasks: ["transcription", "speech"],
});

import { hostedKind } from "../../wire/kind-fields.ts";

/**
 * ElevenLabs' API (https://elevenlabs.io/docs/api-reference), called directly, because its client
 * hides the headers with a call's cost.
 */
export const elevenlabsKind = hostedKind({
  kind: "elevenlabs",
  name: "ElevenLabs",
  summary: "Voices, sound effects, music and transcripts.",
  group: "media",
  keyHint:
    "From elevenlabs.io, under Developers, API Keys. It needs permissions for speech, sound, music and transcripts, and to read models and voices.",
  api: "https://api.elevenlabs.io",
  apiHint: "https://api.eu.residency.elevenlabs.io for data that stays in Europe.",
  environmentKeys: ["ELEVENLABS_API_KEY"],
  tasks: ["speech", "music", "transcription"],
});

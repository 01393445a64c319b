import type { ConnectionKind } from "../../adapter.ts";

/** ElevenLabs' API (https://elevenlabs.io/docs/api-reference). By the API itself: its client hides the headers that tell what a call cost. */
export const elevenlabsKind: ConnectionKind = {
  kind: "elevenlabs",
  name: "ElevenLabs",
  summary: "Voices, sound effects, music and transcripts.",
  docs: "elevenlabs.md",
  fields: [
    {
      name: "key",
      label: "API key",
      kind: "secret",
      required: true,
      hint: "From elevenlabs.io, under Developers, API Keys. It needs permissions for speech, sound, music and transcripts, and to read models and voices.",
    },
    {
      name: "api",
      label: "Base URL",
      kind: "url",
      required: false,
      address: "api",
      advanced: true,
      placeholder: "https://api.elevenlabs.io",
      hint: "https://api.eu.residency.elevenlabs.io for data that stays in Europe.",
    },
  ],
  addresses: { api: "https://api.elevenlabs.io" },
  environmentKeys: ["ELEVENLABS_API_KEY"],
  tasks: ["speech", "music", "transcription"],
};

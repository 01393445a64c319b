import type { JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { fileField, inOrder } from "../../wire/forms.ts";

export type Voice = { id: string; name: string };
type Choice = { id: string; name: string };

/**
 * Codec, sample rate and bit rate. Those above 128 kbit/s, and 44.1 kHz PCM, require a higher plan.
 */
const outputFormats = [
  "mp3_44100_128",
  "mp3_44100_192",
  "mp3_44100_64",
  "mp3_22050_32",
  "opus_48000_128",
  "opus_48000_64",
  "wav_44100",
  "wav_24000",
];
const output_format: JsonSchema = {
  type: "string",
  title: "File format",
  enum: outputFormats,
  default: "mp3_44100_128",
};
const seed: JsonSchema = { type: "integer", title: "Seed", minimum: 0, maximum: 4_294_967_295 };
const share = (title: string, description: string): JsonSchema => ({
  type: "number",
  title,
  description,
  minimum: 0,
  maximum: 1,
});
const choices = (named: readonly Choice[]): JsonSchema => ({
  anyOf: named.map(({ id, name }) => ({ const: id, title: name })),
});

/**
 * POST /v1/text-to-speech/{voice_id}
 * (https://elevenlabs.io/docs/api-reference/text-to-speech/convert).
 */
export function speechForm(
  voices: readonly Voice[],
  languages: readonly Choice[],
  maxCharacters: number | undefined,
): JsonSchema {
  const [first] = voices;
  return inOrder(
    {
      text: {
        type: "string",
        title: "Text",
        minLength: 1,
        maxLength: Math.min(maxCharacters ?? limits.promptCharacters, limits.promptCharacters),
      },
      voice: first
        ? { ...choices(voices), title: "Voice", default: first.id }
        : {
            type: "string",
            title: "Voice",
            description: "The ID of a voice in this account.",
            minLength: 1,
          },
      ...(languages.length > 0 && { language_code: { ...choices(languages), title: "Language" } }),
      stability: share("Stability", "Lower is livelier, higher is steadier."),
      similarity_boost: share("Similarity", "How closely the result matches the original voice."),
      style: share("Style", "How strongly the voice's style is exaggerated."),
      speed: { type: "number", title: "Speed", minimum: 0.7, maximum: 1.2 },
      use_speaker_boost: { type: "boolean", title: "Speaker boost" },
      seed,
      output_format,
    },
    ["text", "voice"],
  );
}

/**
 * POST /v1/sound-generation
 * (https://elevenlabs.io/docs/api-reference/text-to-sound-effects/convert).
 */
export const soundForm: JsonSchema = inOrder(
  {
    text: { type: "string", title: "Sound", minLength: 1, maxLength: limits.promptCharacters },
    duration_seconds: {
      type: "number",
      title: "Seconds",
      description: "Empty: chosen by the model.",
      minimum: 0.5,
      maximum: 30,
    },
    loop: { type: "boolean", title: "Loops without a seam" },
    prompt_influence: share("Prompt influence", "Higher follows the prompt more closely."),
    output_format,
  },
  ["text"],
);

/** POST /v1/music (https://elevenlabs.io/docs/api-reference/music/compose). */
export const musicForm: JsonSchema = inOrder(
  {
    prompt: { type: "string", title: "Music", minLength: 1, maxLength: 4_100 },
    seconds: {
      type: "number",
      title: "Seconds",
      description: "Empty: chosen by the model.",
      minimum: 3,
      maximum: 600,
    },
    force_instrumental: { type: "boolean", title: "Without voices" },
    output_format,
  },
  ["prompt"],
);

const subtitleFormats = ["srt", "txt", "docx", "pdf", "html", "segmented_json"] as const;

/** POST /v1/speech-to-text (https://elevenlabs.io/docs/api-reference/speech-to-text/convert). */
export const transcriptionForm: JsonSchema = inOrder(
  {
    file: { ...fileField("audio/*"), title: "Recording" },
    language_code: {
      type: "string",
      title: "Language",
      description: "ISO 639, such as en or ita. Empty: detected.",
      pattern: "^[a-z]{2,3}$",
    },
    diarize: { type: "boolean", title: "Tell speakers apart" },
    num_speakers: { type: "integer", title: "Speakers at most", minimum: 1, maximum: 32 },
    tag_audio_events: { type: "boolean", title: "Note laughter and other sounds" },
    timestamps_granularity: {
      type: "string",
      title: "Times of",
      enum: ["none", "word", "character"],
      default: "word",
    },
    format: { type: "string", title: "Also as a file", enum: subtitleFormats },
    temperature: { type: "number", title: "Temperature", minimum: 0, maximum: 2 },
    seed: { type: "integer", title: "Seed", minimum: 0, maximum: 2_147_483_647 },
  },
  ["file"],
);

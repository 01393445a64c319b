import { z } from "zod";
import { json } from "./kit/json.ts";
import { readForm, readJsonBody, replyPaid, sayRefusal, tinyMp3 } from "./kit/paid.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";

export type ElevenLabs = Omit<Simulator, "origin"> & { url: string; key: string };

const filled = z.string().min(1);
const share = z.number().min(0).max(1);
const locator = z.strictObject({
  pronunciation_dictionary_id: filled,
  version_id: filled.optional(),
});

/**
 * POST /v1/text-to-speech/{voice_id}
 * (https://elevenlabs.io/docs/api-reference/text-to-speech/convert).
 */
const speech = z.strictObject({
  text: filled,
  model_id: filled.optional(),
  language_code: z.string().nullable().optional(),
  voice_settings: z
    .strictObject({
      stability: share.optional(),
      similarity_boost: share.optional(),
      style: share.optional(),
      speed: z.number().optional(),
      use_speaker_boost: z.boolean().optional(),
    })
    .optional(),
  pronunciation_dictionary_locators: z.array(locator).max(3).optional(),
  seed: z.int().min(0).max(4_294_967_295).nullable().optional(),
  previous_text: z.string().optional(),
  next_text: z.string().optional(),
  previous_request_ids: z.array(filled).max(3).optional(),
  next_request_ids: z.array(filled).max(3).optional(),
  apply_text_normalization: z.enum(["auto", "on", "off"]).optional(),
});
/** POST /v1/sound-generation. */
const sound = z.strictObject({
  text: filled,
  loop: z.boolean().optional(),
  duration_seconds: z.number().min(0.5).max(30).nullable().optional(),
  prompt_influence: share.nullable().optional(),
  model_id: filled.optional(),
});
/** POST /v1/music. */
const music = z
  .strictObject({
    prompt: z.string().max(4_100).optional(),
    composition_plan: z.looseObject({}).optional(),
    music_length_ms: z.int().min(3_000).max(600_000).optional(),
    model_id: filled.optional(),
    seed: z.int().optional(),
    force_instrumental: z.boolean().optional(),
  })
  // "Cannot be used in conjunction".
  .refine((body) => (body.prompt === undefined) !== (body.composition_plan === undefined))
  .refine((body) => body.seed === undefined || body.prompt === undefined);
/** POST /v1/speech-to-text is a form, so every value is text. */
const flag = z.enum(["true", "false"]);
const transcript = z.strictObject({
  model_id: z.enum(["scribe_v1", "scribe_v2"]),
  file: z.strictObject({
    name: filled,
    type: z.string().regex(/^(audio|video)\//),
    bytes: z.int().positive(),
  }),
  language_code: z
    .string()
    .regex(/^[a-z]{2,3}$/)
    .optional(),
  tag_audio_events: flag.optional(),
  num_speakers: z
    .string()
    .regex(/^([1-9]|[12]\d|3[0-2])$/)
    .optional(),
  timestamps_granularity: z.enum(["none", "word", "character"]).optional(),
  diarize: flag.optional(),
  additional_formats: z
    .string()
    .regex(/^\[\{"format":"(srt|txt|docx|pdf|html|segmented_json)"\}\]$/)
    .optional(),
  temperature: z.string().optional(),
  seed: z.string().optional(),
});

const outputFormat =
  /^((mp3_(22050_32|24000_48|44100_(32|64|96|128|192)))|((pcm|wav)_\d+)|ulaw_8000|alaw_8000|(opus_48000_(32|64|96|128|192)))$/;
const voices = Array.from({ length: 130 }, (_, index) => ({
  voice_id: `voice${index}`,
  name: index === 0 ? "Rachel" : `Voice ${index}`,
}));
const model = (id: string, can: boolean) => ({
  model_id: id,
  name: `Model ${id}`,
  description: "Simulated.",
  can_do_text_to_speech: can,
  maximum_text_length_per_request: 5_000,
  languages: [
    { language_id: "en", name: "English" },
    { language_id: "it", name: "Italian" },
  ],
  model_rates: { character_cost_multiplier: 0.5 },
});

/** A strict server of ElevenLabs' API: models, voices, speech, sounds, music, transcripts. */
export async function startElevenLabs(): Promise<ElevenLabs> {
  const key = "sk_elevenlabs_simulated_key";
  const { origin, ...simulator } = await startSimulator(createWire(key));
  return { ...simulator, url: origin, key };
}

const error = (status: number, name: string, message: string): Refusal => ({
  status,
  body: { detail: { status: name, message } },
});
const invalid = (issues: readonly z.core.$ZodIssue[]): Refusal => ({
  status: 422,
  body: {
    detail: issues.map(({ path, message, code }) => ({
      loc: ["body", ...path],
      msg: message,
      type: code,
    })),
  },
});

function createWire(key: string): ProviderWire {
  const wrongKey = ({ headers }: Call) =>
    headers["xi-api-key"] === key ? null : error(401, "invalid_api_key", "Invalid API key");
  return {
    answerFree(call) {
      if (call.method !== "GET") return false;
      const { pathname, searchParams } = call.url;
      const refusal = wrongKey(call);
      if (refusal) return sayRefusal(call, refusal);
      if (pathname === "/v1/models") {
        json(call.response, [
          model("eleven_v3", true),
          model("eleven_flash_v2_5", true),
          model("eleven_english_sts_v2", false),
        ]);
        return true;
      }
      if (pathname !== "/v2/voices") return false;
      const size = Number(searchParams.get("page_size") ?? 10);
      if (size > 100)
        return sayRefusal(call, error(400, "invalid_page_size", "page_size is at most 100"));
      const from = Number(searchParams.get("next_page_token") ?? 0);
      const more = from + size < voices.length;
      json(call.response, {
        voices: voices.slice(from, from + size),
        has_more: more,
        total_count: voices.length,
        next_page_token: more ? String(from + size) : null,
      });
      return true;
    },
    async refuse(call, post) {
      const refusal = wrongKey(call);
      if (refusal) return refusal;
      const format = call.url.searchParams.get("output_format");
      if (format !== null && !outputFormat.test(format))
        return error(400, "invalid_output_format", `Invalid output format ${format}`);
      if (post.path === "/v1/speech-to-text")
        return refuseBy(transcript, await readForm(call, post));
      const [, voice] = /^\/v1\/text-to-speech\/(\w+)$/.exec(post.path) ?? [];
      if (voice && !voices.some(({ voice_id: id }) => id === voice))
        return error(404, "voice_not_found", `A voice with voice_id ${voice} was not found.`);
      const schema = voice
        ? speech
        : post.path === "/v1/sound-generation"
          ? sound
          : post.path === "/v1/music"
            ? music
            : null;
      return schema
        ? refuseBy(schema, readJsonBody(call, post))
        : error(404, "not_found", "Not Found");
    },
    answer(given) {
      if (given.post.path === "/v1/speech-to-text") return replyTranscript(given);
      const text = String((given.post.body as { text?: string }).text ?? "");
      return replyPaid(given, {
        headers: {
          "content-type": "audio/mpeg",
          "request-id": "req_1",
          ...(given.post.path === "/v1/music"
            ? { "song-id": "song_1" }
            : { "character-cost": String(text.length) }),
        },
        body: tinyMp3,
      });
    },
    errorBody: (status, message) => ({ detail: { status: `simulated_${status}`, message } }),
  };
}

function refuseBy(schema: z.ZodType, body: unknown): Refusal | null {
  const read = schema.safeParse(body);
  return read.success ? null : invalid(read.error.issues);
}

function replyTranscript(given: Parameters<ProviderWire["answer"]>[0]) {
  const { additional_formats: formats } = given.post.body as { additional_formats?: string };
  const said = (given.behaviour.text as string | undefined) ?? "Good morning";
  return replyPaid(given, {
    headers: { "content-type": "application/json", "request-id": "req_2" },
    body: JSON.stringify({
      language_code: "eng",
      language_probability: 0.98,
      text: said,
      words: said.split(" ").map((text, index) => ({
        text,
        start: index,
        end: index + 0.5,
        type: "word",
        speaker_id: "speaker_0",
        logprob: -0.1,
      })),
      transcription_id: "t_1",
      ...(formats && {
        additional_formats: [
          {
            requested_format: "srt",
            file_extension: "srt",
            content_type: "text/srt",
            is_base64_encoded: false,
            content: `1\n${said}\n`,
          },
        ],
      }),
    }),
  });
}

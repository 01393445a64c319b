import { z } from "zod";
import { json } from "./kit/json.ts";
import { readJsonBody, replyPaid, sayRefusal, tinyMp3 } from "./kit/paid.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";

export type Deepgram = Omit<Simulator, "origin"> & { url: string; key: string };

const model = (name: string, id: string, languages: string[], more: object = {}) => ({
  name,
  canonical_name: id,
  architecture: id.split("-").slice(0, 2).join("-"),
  languages,
  version: "2026-01-09.0",
  uuid: "c7226e9e-ae1c-4057-ae2a-a71a6b0dc588",
  ...more,
});
const hears = { batch: true, streaming: true, formatted_output: true };
const list = {
  stt: [
    model("general", "nova-3-general", ["en", "en-US"], hears),
    model("general", "nova-3-general", ["it"], hears),
    model("flux", "flux-general-en", ["en"], { ...hears, batch: false }),
  ],
  tts: [
    model("thalia", "aura-2-thalia-en", ["en", "en-US"], {
      metadata: {
        accent: "American",
        age: "Adult",
        color: "#fff",
        image: "https://example.org/a.png",
        sample: "https://example.org/a.wav",
      },
    }),
  ],
};

const flag = z.enum(["true", "false"]);
/**
 * The query of POST /v1/listen
 * (https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded), limited to the
 * parts that Bottega uses.
 */
const listen = z
  .strictObject({
    model: z.literal("nova-3-general"),
    language: z.string().optional(),
    detect_language: flag.optional(),
    smart_format: flag.optional(),
    punctuate: flag.optional(),
    diarize: flag.optional(),
    paragraphs: flag.optional(),
    utterances: flag.optional(),
    numerals: flag.optional(),
    profanity_filter: flag.optional(),
    keyterm: z.array(z.string().min(1)).optional(),
  })
  .refine(({ language, detect_language: detect }) => !language || !detect);
/** The query of POST /v1/speak: a container depends on its encoding. */
const speak = z.union([
  z.strictObject({ model: z.string(), encoding: z.enum(["mp3", "flac", "aac"]).optional() }),
  z.strictObject({
    model: z.string(),
    encoding: z.literal("linear16"),
    container: z.enum(["wav", "none"]),
  }),
  z.strictObject({ model: z.string(), encoding: z.literal("opus"), container: z.literal("ogg") }),
]);
const speakBody = z.strictObject({ text: z.string().min(1).max(2_000) });

const error = (status: number, code: string, message: string): Refusal => ({
  status,
  body: { err_code: code, err_msg: message, request_id: "r-1" },
});

/** A strict server of Deepgram's API: models, transcripts, speech. */
export async function startDeepgram(): Promise<Deepgram> {
  const key = "simulated0deepgram0key";
  const wrongKey = ({ headers }: Call) =>
    headers.authorization === `Token ${key}`
      ? null
      : error(401, "INVALID_AUTH", "Invalid credentials.");
  const wire: ProviderWire = {
    answerFree(call) {
      if (call.method !== "GET") return false;
      const refusal = wrongKey(call);
      if (refusal) return sayRefusal(call, refusal);
      if (call.url.pathname !== "/v1/models") return false;
      json(call.response, list);
      return true;
    },
    refuse(call, post) {
      const refusal = wrongKey(call);
      if (refusal) return refusal;
      const { pathname, searchParams } = call.url;
      const terms = searchParams.getAll("keyterm");
      const query = {
        ...Object.fromEntries(searchParams),
        ...(terms.length > 0 && { keyterm: terms }),
      };
      if (pathname === "/v1/listen") {
        const { "content-type": type = "", "content-length": length } = call.headers;
        post.body = { query, type, bytes: call.body.length };
        if (
          !/^(audio|video)\//.test(type) ||
          call.body.length === 0 ||
          Number(length) !== call.body.length
        ) {
          return error(
            400,
            "Bad Request",
            "Bad Request: failed to process audio: corrupt or unsupported data",
          );
        }
        return refuseBy(listen, query);
      }
      if (pathname !== "/v1/speak") return error(404, "NOT_FOUND", "Not found.");
      const body = readJsonBody(call, post);
      post.body = { query, body };
      return refuseBy(speak, query) ?? refuseBy(speakBody, body);
    },
    answer: (given) =>
      given.post.path === "/v1/speak" ? replySpeech(given) : replyTranscript(given),
    errorBody: (status, message) => ({
      err_code: `SIMULATED_${status}`,
      err_msg: message,
      request_id: "r-1",
    }),
  };
  const { origin, ...simulator } = await startSimulator(wire);
  return { ...simulator, url: origin, key };
}

function refuseBy(schema: z.ZodType, value: unknown): Refusal | null {
  const read = schema.safeParse(value);
  return read.success ? null : error(400, "Bad Request", z.prettifyError(read.error));
}

type Given = Parameters<ProviderWire["answer"]>[0];

function replySpeech(given: Given) {
  const { text } = (given.post.body as { body: { text: string } }).body;
  const headers = {
    "content-type": "audio/mpeg",
    "dg-char-count": String(text.length),
    "dg-model-name": "aura-2",
    "dg-request-id": "r-2",
  };
  return replyPaid(given, { headers, body: tinyMp3 });
}

function replyTranscript(given: Given) {
  const { query } = given.post.body as { query: Record<string, string> };
  const said = "good morning";
  const words = said.split(" ").map((word, index) => ({
    word,
    start: index,
    end: index + 0.5,
    confidence: 0.99,
    punctuated_word: word,
  }));
  const paragraphs = query.paragraphs === "true" && {
    paragraphs: { transcript: `\nSpeaker 0: ${said}`, paragraphs: [] },
  };
  const channel = {
    ...(query.detect_language === "true" && { detected_language: "en", language_confidence: 0.9 }),
    alternatives: [{ transcript: said, confidence: 0.99, words, ...paragraphs }],
  };
  const metadata = {
    request_id: "r-3",
    created: "2026-11-02T10:00:00Z",
    duration: 1.5,
    channels: 1,
    models: [],
    model_info: {},
  };
  return replyPaid(given, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata, results: { channels: [channel] } }),
  });
}

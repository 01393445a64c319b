import type { JsonSchema } from "#contract/json.ts";
import type { CallContext, ModelFacts } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { fileField, inOrder } from "../../wire/forms.ts";
import { type Row, rowsOf } from "../../wire/model-list.ts";
import { textOf, textsOf } from "../../wire/values.ts";
import { api } from "./access.ts";

/**
 * GET /v1/models (https://developers.deepgram.com/reference/manage/models/list): lists the
 * transcription models, and every voice as a model.
 * @throws ProviderError
 */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const { stt, tts } = await api.callObject(context, "/v1/models");
  yield [...byId(rowsOf(stt)).entries()]
    .filter(([, rows]) => rows.some(({ batch }) => batch === true))
    .map(([id, rows]) => toHearing(id, rows));
  yield [...byId(rowsOf(tts)).entries()].map(([id, rows]) => toSpeaking(id, rows));
}

/** A model may be listed once per group of languages. */
const byId = (rows: Row[]): Map<string, Row[]> =>
  Map.groupBy(
    rows.filter(({ canonical_name: id }) => textOf(id)),
    ({ canonical_name: id }) => String(id),
  );

const languagesOf = (rows: readonly Row[]): string[] => [
  ...new Set(rows.flatMap(({ languages }) => textsOf(languages))),
];

const shared = {
  capabilities: { seed: false },
  limits: {},
  price: null,
  status: "active",
} as const satisfies Partial<ModelFacts>;

const toHearing = (id: string, rows: readonly Row[]): ModelFacts => ({
  ...shared,
  id,
  name: id,
  tasks: ["transcription"],
  inputModalities: ["audio"],
  outputModalities: ["text"],
  inputSchema: transcriptionForm(languagesOf(rows)),
});

function toSpeaking(id: string, rows: readonly Row[]): ModelFacts {
  const metadata = isRecord(rows[0]?.metadata) ? rows[0].metadata : {};
  const facts = [metadata.accent, metadata.age, ...languagesOf(rows)].filter(
    (fact) => typeof fact === "string" && fact !== "",
  );
  return {
    ...shared,
    id,
    name: id,
    ...(facts.length > 0 && { description: facts.join(", ") }),
    tasks: ["speech"],
    inputModalities: ["text"],
    outputModalities: ["audio"],
    inputSchema: speechForm,
  };
}

/** The switches that POST /v1/listen accepts in its URL. */
export const listenFlags = [
  "smart_format",
  "punctuate",
  "diarize",
  "paragraphs",
  "utterances",
  "numerals",
  "profanity_filter",
] as const;

const flag = (title: string, description?: string): JsonSchema => ({
  type: "boolean",
  title,
  ...(description && { description }),
});

/**
 * POST /v1/listen (https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded).
 */
const transcriptionForm = (languages: readonly string[]): JsonSchema =>
  inOrder(
    {
      file: { ...fileField("audio/*"), title: "Recording" },
      language: {
        type: "string",
        title: "Language",
        description: "Empty: English. Detect recognizes the language.",
        ...(languages.length > 0
          ? { enum: ["detect", ...languages] }
          : { examples: ["detect", "en"] }),
      },
      smart_format: { ...flag("Format dates, numbers, paragraphs"), default: true },
      punctuate: flag("Punctuation"),
      diarize: flag("Tell speakers apart"),
      paragraphs: flag("Paragraphs"),
      utterances: flag("Utterances", "Adds a file with speakers and times."),
      numerals: flag("Numbers as digits"),
      profanity_filter: flag("Leave out swear words"),
      keyterms: {
        type: "array",
        title: "Words to listen for",
        description: "Not every model supports this.",
        items: { type: "string" },
        maxItems: 100,
      },
    },
    ["file"],
  );

/**
 * The parameters of each file format
 * (https://developers.deepgram.com/docs/tts-media-output-settings).
 */
export const soundFormats: Readonly<Record<string, { [name: string]: string }>> = {
  mp3: { encoding: "mp3" },
  wav: { encoding: "linear16", container: "wav" },
  flac: { encoding: "flac" },
  opus: { encoding: "opus", container: "ogg" },
  aac: { encoding: "aac" },
};

/** POST /v1/speak (https://developers.deepgram.com/reference/text-to-speech/speak-request). */
const speechForm: JsonSchema = inOrder(
  {
    text: { type: "string", title: "Text", minLength: 1, maxLength: 2_000 },
    format: {
      type: "string",
      title: "File format",
      enum: Object.keys(soundFormats),
      default: "mp3",
    },
  },
  ["text"],
);

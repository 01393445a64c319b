import type { JsonSchema } from "#contract/json.ts";
import type { ModelCapabilities } from "../../adapter.ts";
import {
  backgroundField,
  chatForm,
  fileField,
  inOrder,
  maskField,
  pictureCountField,
  pictureFormatField,
  promptField,
  sourcePicturesField,
  textField,
} from "../../wire/forms.ts";
import type { OfferedTask } from "./offered-tasks.ts";

const transcriptionFields = {
  file: { ...fileField("audio/*"), title: "Recording" },
  language: {
    type: "string",
    title: "Language",
    description: "ISO 639-1, such as en or it.",
    pattern: "^[a-z]{2,3}$",
  },
  prompt: {
    type: "string",
    title: "Hint",
    description: "Names and words that occur, or the preceding text.",
  },
  response_format: {
    type: "string",
    title: "Form",
    enum: ["json", "verbose_json", "srt", "vtt"],
    default: "json",
  },
  temperature: { type: "number", title: "Temperature", minimum: 0, maximum: 1 },
};

/** Servers differ in sizes and voices, so these are free text with the usual values as examples. */
const media: Record<Exclude<OfferedTask, "chat">, JsonSchema> = {
  image: inOrder(
    {
      prompt: promptField,
      images: sourcePicturesField(16),
      mask: maskField,
      size: {
        type: "string",
        title: "Size",
        description: "Width x height in pixels.",
        examples: ["1024x1024", "1536x1024", "1024x1536", "512x512"],
      },
      n: pictureCountField(10),
      quality: {
        type: "string",
        title: "Quality",
        examples: ["low", "medium", "high", "standard", "hd"],
      },
      background: backgroundField,
      output_format: pictureFormatField,
    },
    ["prompt"],
  ),
  speech: inOrder(
    {
      input: textField,
      voice: {
        type: "string",
        title: "Voice",
        default: "alloy",
        examples: ["alloy", "ash", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer"],
      },
      instructions: {
        type: "string",
        title: "How to speak",
        description: "Tone, accent and pace, if the model supports them.",
      },
      response_format: {
        type: "string",
        title: "File format",
        enum: ["mp3", "opus", "aac", "flac", "wav"],
      },
      speed: { type: "number", title: "Speed", minimum: 0.25, maximum: 4 },
    },
    ["input", "voice"],
  ),
  transcription: inOrder(transcriptionFields, ["file"]),
  embedding: inOrder(
    {
      input: textField,
      dimensions: { type: "integer", title: "Dimensions", minimum: 1 },
    },
    ["input"],
  ),
};

const whisperForm = inOrder(
  {
    ...transcriptionFields,
    timestamp_granularities: {
      type: "array",
      title: "Timestamps",
      description: "Only in the form verbose_json.",
      uniqueItems: true,
      items: { type: "string", enum: ["segment", "word"] },
    },
  },
  ["file"],
);
/** It tells speakers apart, and takes no hint. */
const diarizedForm = inOrder(
  {
    file: transcriptionFields.file,
    language: transcriptionFields.language,
    response_format: {
      ...transcriptionFields.response_format,
      description: "Diarized JSON names the speaker of each segment.",
      enum: ["json", "diarized_json"],
    },
    temperature: transcriptionFields.temperature,
  },
  ["file"],
);

/** Models that tell speakers apart, such as gpt-4o-transcribe-diarize. */
export const isDiarizing = (modelId: string): boolean => /-transcribe-diarize/i.test(modelId);

/**
 * Only Whisper reports the time of each word
 * (platform.openai.com/docs/api-reference/audio/createTranscription).
 */
export const transcriptionForm = (modelId: string): JsonSchema => {
  if (isDiarizing(modelId)) return diarizedForm;
  return /whisper/i.test(modelId) ? whisperForm : media.transcription;
};

/**
 * Returns the form of a task. `outputTokens` is the model's own limit if the server states it;
 * `more` are a chat's additional settings.
 */
export function inputSchema(
  task: OfferedTask,
  capabilities: ModelCapabilities,
  outputTokens?: number,
  more: { [name: string]: JsonSchema } = {},
): JsonSchema {
  return task === "chat" ? chatForm(capabilities, outputTokens, more) : media[task];
}

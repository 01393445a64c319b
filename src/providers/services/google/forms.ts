import type { JsonSchema } from "#contract/json.ts";
import type { ModelCapabilities } from "../../adapter.ts";
import {
  chatForm,
  fileField,
  inOrder,
  pictureCountField,
  promptField,
  sourcePicturesField,
  textField,
} from "../../wire/forms.ts";
import type { SnapshotModel } from "./snapshot.ts";

/**
 * The settings of a chat with Gemini (https://ai.google.dev/api/generate-content#generationconfig).
 */
export function geminiForm(
  capabilities: ModelCapabilities,
  known: SnapshotModel | undefined,
  outputTokens: number | undefined,
): JsonSchema {
  const budget = capabilities.reasoning ? known?.thinkingTokens : undefined;
  return chatForm(capabilities, outputTokens, {
    ...(budget && {
      thinkingBudget: {
        type: "integer",
        title: "Thinking budget",
        description: "In tokens, instead of the effort. -1 lets the model choose.",
        minimum: -1,
        maximum: budget.most,
      },
    }),
    ...(known?.isPlain !== true && {
      webSearch: {
        type: "boolean",
        title: "Search with Google",
        description: "The model searches and cites its sources. Searches cost extra.",
        default: false,
      },
    }),
    ...(known?.isPlain !== true && {
      codeInterpreter: {
        type: "boolean",
        title: "Run code",
        description: "The model runs Python at Google. Its pictures are saved. Only tokens cost.",
        default: false,
      },
    }),
    safety: {
      type: "string",
      title: "Safety filter",
      description: "The likelihood of harm at which an answer is stopped. Empty: Google's default.",
      enum: [
        "BLOCK_LOW_AND_ABOVE",
        "BLOCK_MEDIUM_AND_ABOVE",
        "BLOCK_ONLY_HIGH",
        "BLOCK_NONE",
        "OFF",
      ],
    },
  });
}

const wide = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];

/** Pictures drawn by Gemini (https://ai.google.dev/gemini-api/docs/image-generation). */
export const drawnForm: JsonSchema = inOrder(
  {
    prompt: promptField,
    images: sourcePicturesField(14),
    aspectRatio: { type: "string", title: "Shape", enum: wide },
    imageSize: {
      type: "string",
      title: "Size",
      description: "Not every model supports every value.",
      enum: ["1K", "2K", "4K"],
    },
  },
  ["prompt"],
);

/** Imagen (https://ai.google.dev/gemini-api/docs/imagen). */
export const imagenForm: JsonSchema = inOrder(
  {
    prompt: promptField,
    sampleCount: pictureCountField(4),
    aspectRatio: { type: "string", title: "Shape", enum: ["1:1", "3:4", "4:3", "9:16", "16:9"] },
    sampleImageSize: {
      type: "string",
      title: "Size",
      description: "Not every model supports 2K.",
      enum: ["1K", "2K"],
    },
    personGeneration: {
      type: "string",
      title: "People",
      enum: ["dont_allow", "allow_adult", "allow_all"],
    },
  },
  ["prompt"],
);

/**
 * Veo (https://ai.google.dev/gemini-api/docs/video). Only Vertex AI accepts a seed: Google's own
 * client sends none to the Gemini API.
 */
export const videoForm = (takesSeed: boolean): JsonSchema =>
  inOrder(
    {
      prompt: promptField,
      image: { ...fileField("image/*"), title: "First picture" },
      lastFrame: { ...fileField("image/*"), title: "Last picture" },
      images: {
        type: "array",
        title: "Pictures to follow",
        description: "People and things to show in the video. Not every model supports this.",
        items: fileField("image/*"),
        maxItems: 3,
      },
      negativePrompt: { type: "string", title: "What to leave out" },
      aspectRatio: { type: "string", title: "Shape", enum: ["16:9", "9:16"] },
      resolution: {
        type: "string",
        title: "Resolution",
        description: "Not every model supports every value.",
        enum: ["720p", "1080p", "4k"],
      },
      durationSeconds: { type: "string", title: "Length in seconds", enum: ["4", "5", "6", "8"] },
      personGeneration: {
        type: "string",
        title: "People",
        enum: ["dont_allow", "allow_adult", "allow_all"],
      },
      ...(takesSeed && {
        seed: {
          type: "integer",
          title: "Seed",
          description: "The same seed usually gives the same result.",
        },
      }),
    },
    ["prompt"],
  );

/**
 * Gemini's speech, with the voices that its documentation names
 * (https://ai.google.dev/gemini-api/docs/speech-generation).
 */
export const speechForm: JsonSchema = inOrder(
  {
    text: textField,
    voice: {
      type: "string",
      title: "Voice",
      default: "Kore",
      examples: ["Kore", "Puck", "Charon", "Fenrir", "Leda", "Orus", "Aoede", "Zephyr"],
    },
    instructions: {
      type: "string",
      title: "How to speak",
      description: "Tone, accent, pace: such as “say it cheerfully”.",
    },
    language: {
      type: "string",
      title: "Language",
      description: "Such as en-US. Empty: the language of the text.",
    },
  },
  ["text"],
);

export const embeddingForm: JsonSchema = inOrder(
  {
    input: textField,
    dimensions: { type: "integer", title: "Dimensions", minimum: 1, maximum: 3_072 },
  },
  ["input"],
);

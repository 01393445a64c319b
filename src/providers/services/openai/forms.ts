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
} from "../../wire/forms.ts";
import type { SnapshotModel } from "./snapshot.ts";

type Properties = { [name: string]: JsonSchema };
const isProperties = (value: unknown): value is Properties =>
  typeof value === "object" && value !== null;

/**
 * The settings of Responses: no stop words and no seed; a reasoning model has no sampling settings.
 */
export function responsesForm(
  capabilities: ModelCapabilities,
  known: SnapshotModel | undefined,
): JsonSchema {
  const form = chatForm({ ...capabilities, seed: false }, known?.outputTokens, {
    ...(known?.webSearch && {
      webSearch: {
        type: "boolean",
        title: "Search the web",
        description: "The model searches and cites its sources. Searches cost extra.",
        default: false,
      },
    }),
    ...(known?.fileSearch &&
      !known.slow && {
        fileSearch: {
          type: "boolean",
          title: "File search",
          description:
            "The model searches the attached documents at OpenAI, which stores copies for a day. A search costs $0.0025.",
          default: false,
        },
      }),
    ...(known?.codeInterpreter &&
      !known.slow && {
        codeInterpreter: {
          type: "boolean",
          title: "Run code",
          description:
            "The model runs Python at OpenAI. Its files are saved. A session costs $0.03.",
          default: false,
        },
      }),
    ...(known?.imageTool &&
      !known.slow && {
        imageTool: {
          type: "boolean",
          title: "Make pictures at OpenAI",
          description: "The model makes square pictures with GPT Image 1.5, about $0.04 each.",
          default: false,
        },
      }),
    background: {
      type: "boolean",
      title: "In the background",
      description:
        "For long reasoning. The answer arrives whole at its end and survives interruptions. OpenAI stores it.",
      default: known?.slow === true,
    },
  });
  const fields: Properties = isProperties(form.properties) ? { ...form.properties } : {};
  delete fields.stop;
  if (capabilities.reasoning === true) {
    delete fields.temperature;
    delete fields.topP;
    fields.reasoningEffort = {
      type: "string",
      title: "Reasoning effort",
      enum: [
        ...(known?.alwaysReasons ? [] : ["none"]),
        "minimal",
        "low",
        "medium",
        "high",
        "xhigh",
        "max",
      ],
      description: "Not every model supports every value.",
    };
  }
  // The API refuses lower values.
  fields.maxOutputTokens = { ...fields.maxOutputTokens, minimum: 16 };
  return inOrder(fields);
}

/**
 * GPT Image: sizes, quality and background by the API's own names
 * (https://platform.openai.com/docs/api-reference/images).
 */
export const pictureForm: JsonSchema = inOrder(
  {
    prompt: promptField,
    images: sourcePicturesField(16),
    mask: maskField,
    size: {
      type: "string",
      title: "Size",
      description: "Width x height in pixels, or auto.",
      examples: ["auto", "1024x1024", "1536x1024", "1024x1536"],
    },
    n: pictureCountField(10),
    quality: {
      type: "string",
      title: "Quality",
      enum: ["auto", "low", "medium", "high", "xhigh", "max"],
    },
    background: backgroundField,
    output_format: pictureFormatField,
    output_compression: {
      type: "integer",
      title: "Compression",
      description: "For JPEG and WebP, in percent.",
      minimum: 0,
      maximum: 100,
    },
    moderation: { type: "string", title: "Moderation", enum: ["auto", "low"] },
    partial_images: {
      type: "integer",
      title: "Previews",
      description: "Previews while one picture is made. Each costs 100 more output tokens.",
      minimum: 0,
      maximum: 3,
      default: 1,
    },
  },
  ["prompt"],
);

export const videoForm: JsonSchema = inOrder(
  {
    prompt: promptField,
    image: {
      ...fileField("image/*"),
      title: "First frame",
      description: "A picture with the dimensions of the video.",
    },
    duration: {
      type: "string",
      title: "Seconds",
      enum: ["4", "8", "12", "16", "20"],
      default: "4",
    },
    size: {
      type: "string",
      title: "Size",
      enum: ["720x1280", "1280x720", "1024x1792", "1792x1024", "1080x1920", "1920x1080"],
      default: "720x1280",
    },
  },
  ["prompt"],
);

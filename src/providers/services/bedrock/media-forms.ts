import type { JsonSchema } from "#contract/json.ts";
import { fileField, inOrder, sourcePicturesField } from "../../wire/forms.ts";
import { type ImageShape, imageShapeOf, type VideoShape, videoShapeOf } from "./catalogue.ts";

const prompt = (most: number) => ({
  type: "string",
  title: "Prompt",
  minLength: 1,
  maxLength: most,
});
const negativePrompt = {
  type: "string",
  title: "Without",
  description: "Content to avoid in the picture.",
  maxLength: 1_024,
};
const seed = (most: number) => ({
  type: "integer",
  title: "Seed",
  minimum: 0,
  maximum: most,
  description: "The same seed gives the same result.",
});

const imageForms: Readonly<Record<ImageShape, JsonSchema>> = {
  "nova-canvas": amazonForm(
    ["1024x1024", "1280x720", "720x1280", "1536x1024", "1024x1536", "2048x2048"],
    858_993_459,
    10,
  ),
  "titan-image": amazonForm(
    ["1024x1024", "768x768", "512x512", "1152x768", "768x1152"],
    2_147_483_646,
    10,
  ),
  stability: inOrder(
    {
      prompt: prompt(10_000),
      negativePrompt,
      aspectRatio: {
        type: "string",
        title: "Shape",
        enum: ["1:1", "16:9", "21:9", "2:3", "3:2", "4:5", "5:4", "9:16", "9:21"],
      },
      image: { ...fileField("image/*"), title: "Begin from a picture" },
      strength: {
        type: "number",
        title: "Strength",
        description: "How far the result departs from that picture.",
        minimum: 0,
        maximum: 1,
      },
      seed: seed(4_294_967_294),
      outputFormat: {
        type: "string",
        title: "Format",
        enum: ["png", "jpeg", "webp"],
        default: "png",
      },
    },
    ["prompt"],
  ),
};

function amazonForm(sizes: string[], maxSeed: number, maxCfg: number): JsonSchema {
  return inOrder(
    {
      prompt: prompt(1_024),
      negativePrompt,
      size: { type: "string", title: "Size", enum: sizes, default: sizes[0]! },
      n: { type: "integer", title: "Pictures", minimum: 1, maximum: 5, default: 1 },
      images: sourcePicturesField(5),
      mask: {
        ...fileField("image/*"),
        title: "Mask",
        description: "Black marks the area of the first picture to change.",
      },
      maskPrompt: {
        type: "string",
        title: "What to change",
        description: "Instead of a mask: describe the area of the first picture to change.",
        maxLength: 1_024,
      },
      similarityStrength: { type: "number", title: "Likeness", minimum: 0.2, maximum: 1 },
      quality: { type: "string", title: "Quality", enum: ["standard", "premium"] },
      cfgScale: { type: "number", title: "Keep to the prompt", minimum: 1.1, maximum: maxCfg },
      seed: seed(maxSeed),
    },
    ["prompt"],
  );
}

const videoForms: Readonly<Record<VideoShape, JsonSchema>> = {
  "nova-reel": inOrder(
    {
      prompt: prompt(4_000),
      image: {
        ...fileField("image/*"),
        title: "First frame",
        description: "1280 × 720. Only for 6 seconds.",
      },
      durationSeconds: {
        type: "integer",
        title: "Seconds",
        description: "Up to 120 seconds, in shots of 6.",
        enum: [6, 12, 18, 24, 30, 36, 42, 48, 54, 60, 90, 120],
        default: 6,
      },
      seed: seed(2_147_483_646),
    },
    ["prompt"],
  ),
  "luma-ray": inOrder(
    {
      prompt: prompt(5_000),
      firstFrame: { ...fileField("image/*"), title: "First frame" },
      lastFrame: { ...fileField("image/*"), title: "Last frame" },
      aspectRatio: {
        type: "string",
        title: "Shape",
        enum: ["16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21"],
        default: "16:9",
      },
      duration: { type: "string", title: "Length", enum: ["5s", "9s"], default: "5s" },
      resolution: { type: "string", title: "Resolution", enum: ["540p", "720p"], default: "720p" },
      loop: { type: "boolean", title: "Loop", default: false },
    },
    ["prompt"],
  ),
};

/** Returns a model's form, or null for an unknown format: free-form JSON. */
export const imageFormOf = (modelId: string): JsonSchema | null => {
  const shape = imageShapeOf(modelId);
  return shape ? imageForms[shape] : null;
};
export const videoFormOf = (modelId: string): JsonSchema | null => {
  const shape = videoShapeOf(modelId);
  return shape ? videoForms[shape] : null;
};
export const embeddingForm: JsonSchema = inOrder(
  { input: { type: "string", title: "Text", minLength: 1 } },
  ["input"],
);

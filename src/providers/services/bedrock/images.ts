import type { Json, JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { numberOf, readInput } from "../../ai-sdk/media.ts";
import { readPictures } from "../../aws/pictures.ts";
import { fileOf } from "../../wire/media-input.ts";
import { textOf } from "../../wire/values.ts";
import { addressOf, postJson, signInToBedrock } from "./access.ts";
import { imageShapeOf } from "./catalogue.ts";

/** A request body in the model's own format, and the form's fields that it has no place for. */
type ImageRequest = { body: JsonObject; leftOut?: string[] };

/**
 * Makes pictures through POST /model/{id}/invoke, with a body in the model's own format. For an
 * unknown format, the person's JSON is sent.
 * @throws ProviderError, or the signal's reason
 */
export async function* answerImage(
  request: RunRequest,
  unsigned: RunContext,
): AsyncGenerator<AnswerPart> {
  const { body, leftOut = [] } = await toBody(request);
  for (const feature of leftOut) {
    unsigned.warn({
      type: "unsupported",
      feature,
      message: sentences.settings.notTakenHere({ setting: feature }),
    });
  }
  const { context } = await signInToBedrock(unsigned);
  const url = `${addressOf(context, "api")}/model/${encodeURIComponent(request.model.id)}/invoke`;
  const { answer } = await postJson(context, url, body, limits.outputBytes);
  yield* readPictures(answer, context);
}

async function toBody(request: RunRequest): Promise<ImageRequest> {
  const shape = imageShapeOf(request.model.id);
  if (shape === "stability") return toStability(request);
  return shape ? toAmazon(request) : { body: request.input };
}

const pictureOf = async (request: RunRequest, reference: Json, field: string): Promise<string> =>
  Buffer.from((await readInput(fileOf(request, reference, field))).data).toString("base64");

/**
 * Nova Canvas and Titan Image Generator (userguide: image-gen-req-resp-structure,
 * model-parameters-titan-image).
 */
async function toAmazon(request: RunRequest): Promise<ImageRequest> {
  const { input } = request;
  const references = Array.isArray(input.images) ? input.images : [];
  const images = await Promise.all(
    references.map((reference) => pictureOf(request, reference, "images")),
  );
  const text = textOf(input.prompt);
  const negativeText = textOf(input.negativePrompt);
  const maskPrompt = textOf(input.maskPrompt);
  const mask = input.mask ? await pictureOf(request, input.mask, "mask") : undefined;
  const prompts = { ...(text && { text }), ...(negativeText && { negativeText }) };
  const [width, height] = (textOf(input.size) ?? "").split("x").map(Number);
  const cfgScale = numberOf(input.cfgScale);
  const seed = numberOf(input.seed);
  const common = {
    numberOfImages: numberOf(input.n) ?? 1,
    ...(cfgScale !== undefined && { cfgScale }),
    ...(seed !== undefined && { seed }),
    ...(textOf(input.quality) && { quality: String(input.quality) }),
  };
  const sized = { ...common, ...(width && height && { width, height }) };
  const [image] = images;
  if (image === undefined)
    return {
      body: { taskType: "TEXT_IMAGE", textToImageParams: prompts, imageGenerationConfig: sized },
    };
  if (mask !== undefined || maskPrompt) {
    const inPaintingParams = {
      image,
      ...prompts,
      ...(mask === undefined ? { maskPrompt: maskPrompt! } : { maskImage: mask }),
    };
    // An edited picture keeps its size.
    return {
      body: { taskType: "INPAINTING", inPaintingParams, imageGenerationConfig: common },
      leftOut: [...(width ? ["size"] : []), ...(images.length > 1 ? ["further pictures"] : [])],
    };
  }
  const similarityStrength = numberOf(input.similarityStrength);
  const imageVariationParams = {
    images,
    ...prompts,
    ...(similarityStrength !== undefined && { similarityStrength }),
  };
  return {
    body: { taskType: "IMAGE_VARIATION", imageVariationParams, imageGenerationConfig: sized },
  };
}

/** Stable Image Core, Ultra and SD3.5 Large (userguide: model-parameters-stability-ai). */
async function toStability(request: RunRequest): Promise<ImageRequest> {
  const { input } = request;
  const image = input.image ? await pictureOf(request, input.image, "image") : undefined;
  const strength = numberOf(input.strength);
  const seed = numberOf(input.seed);
  const body = {
    prompt: textOf(input.prompt) ?? "",
    ...(textOf(input.negativePrompt) && { negative_prompt: String(input.negativePrompt) }),
    ...(seed !== undefined && { seed }),
    output_format: textOf(input.outputFormat) ?? "png",
    ...(image === undefined
      ? { ...(textOf(input.aspectRatio) && { aspect_ratio: String(input.aspectRatio) }) }
      : { mode: "image-to-image", image, strength: strength ?? 0.5 }),
  };
  return { body, leftOut: image !== undefined && textOf(input.aspectRatio) ? ["aspectRatio"] : [] };
}

/**
 * Facts about models that no API of Bedrock reports, by the start of their ids (for an inference
 * profile without its region). Taken on 2026-11-21 from
 * docs.aws.amazon.com/bedrock/latest/userguide: "Supported models and model features" (documents),
 * "Prompt caching for faster model inference" (cache), "Inference request parameters and response
 * fields" (image formats).
 */

/** Models that accept documents in Converse. */
const readDocuments = [
  "ai21.jamba",
  "amazon.nova-lite",
  "amazon.nova-pro",
  "amazon.nova-premier",
  "amazon.nova-2",
  "anthropic.claude",
  "cohere.command-r",
  "deepseek.r1",
  "meta.llama3",
  "meta.llama4",
  "mistral.",
];
/** Models that support cache points. */
const readCache = [
  "amazon.nova",
  "anthropic.claude-3-5-haiku",
  "anthropic.claude-3-7",
  "anthropic.claude-haiku",
  "anthropic.claude-opus",
  "anthropic.claude-sonnet",
];
/** Models that return scores for text, without Converse. */
const notForChat = ["amazon.rerank", "cohere.rerank"];

export type ImageShape = "nova-canvas" | "titan-image" | "stability";
const imageShapes: readonly [prefix: string, shape: ImageShape][] = [
  ["amazon.nova-canvas", "nova-canvas"],
  ["amazon.titan-image-generator", "titan-image"],
  ["stability.sd3", "stability"],
  ["stability.stable-image-core", "stability"],
  ["stability.stable-image-ultra", "stability"],
];
export type VideoShape = "nova-reel" | "luma-ray";
const videoShapes: readonly [prefix: string, shape: VideoShape][] = [
  ["amazon.nova-reel", "nova-reel"],
  ["luma.ray", "luma-ray"],
];
const embedders = ["amazon.titan-embed-text", "cohere.embed"];

/**
 * "eu.anthropic.claude-…" is a profile over "anthropic.claude-…"; an ARN ends with either of the
 * two.
 */
export const baseOf = (modelId: string): string =>
  modelId.replace(/^arn:.*\//, "").replace(/^(us-gov|us|eu|apac|ap|au|jp|ca|sa|me|global)\./, "");

const begins = (modelId: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => baseOf(modelId).startsWith(prefix));
const shapeOf = <Shape>(modelId: string, shapes: readonly [string, Shape][]): Shape | undefined =>
  shapes.find(([prefix]) => baseOf(modelId).startsWith(prefix))?.[1];

export const readsDocuments = (modelId: string): boolean => begins(modelId, readDocuments);
export const readsCache = (modelId: string): boolean => begins(modelId, readCache);
export const isClaude = (modelId: string): boolean => begins(modelId, ["anthropic.claude"]);
export const isForChat = (modelId: string): boolean => !begins(modelId, notForChat);
export const embedsText = (modelId: string): boolean => begins(modelId, embedders);
export const imageShapeOf = (modelId: string): ImageShape | undefined =>
  shapeOf(modelId, imageShapes);
export const videoShapeOf = (modelId: string): VideoShape | undefined =>
  shapeOf(modelId, videoShapes);

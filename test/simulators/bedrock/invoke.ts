import { z } from "zod";
import type { Behaviour, Post } from "../kit/behaviour.ts";
import { json } from "../kit/json.ts";
import type { Call } from "../kit/server.ts";

/** InvokeModel's bodies according to the user guide, by model. */
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const words = {
  text: z.string().min(1).max(1_024),
  negativeText: z.string().min(1).max(1_024).optional(),
};
const config = {
  numberOfImages: z.int().min(1).max(5).optional(),
  cfgScale: z.number().min(1.1).max(10).optional(),
  seed: z.int().min(0).optional(),
  quality: z.enum(["standard", "premium"]).optional(),
};
const sized = z.strictObject({
  ...config,
  width: z.int().multipleOf(16).optional(),
  height: z.int().multipleOf(16).optional(),
});
const novaCanvas = z.discriminatedUnion("taskType", [
  z.strictObject({
    taskType: z.literal("TEXT_IMAGE"),
    textToImageParams: z.strictObject(words),
    imageGenerationConfig: sized.optional(),
  }),
  z.strictObject({
    taskType: z.literal("IMAGE_VARIATION"),
    imageVariationParams: z.strictObject({
      ...words,
      images: z.array(base64).min(1).max(5),
      similarityStrength: z.number().min(0.2).max(1).optional(),
    }),
    imageGenerationConfig: sized.optional(),
  }),
  z.strictObject({
    taskType: z.literal("INPAINTING"),
    inPaintingParams: z
      .strictObject({
        ...words,
        image: base64,
        maskPrompt: z.string().min(1).optional(),
        maskImage: base64.optional(),
      })
      .refine(
        ({ maskPrompt, maskImage }) => (maskPrompt === undefined) !== (maskImage === undefined),
        "exactly one mask",
      ),
    imageGenerationConfig: z.strictObject(config).optional(),
  }),
]);
const stability = z
  .strictObject({
    prompt: z.string().min(1).max(10_000),
    negative_prompt: z.string().optional(),
    aspect_ratio: z
      .enum(["16:9", "1:1", "21:9", "2:3", "3:2", "4:5", "5:4", "9:16", "9:21"])
      .optional(),
    seed: z.int().min(0).max(4_294_967_294).optional(),
    output_format: z.enum(["png", "jpeg", "webp"]).optional(),
    mode: z.enum(["text-to-image", "image-to-image"]).optional(),
    image: base64.optional(),
    strength: z.number().min(0).max(1).optional(),
  })
  .refine(
    ({ image, aspect_ratio }) => image === undefined || aspect_ratio === undefined,
    "aspect_ratio goes without an image",
  );
const titanEmbed = z.strictObject({
  inputText: z.string().min(1),
  dimensions: z.union([z.literal(1_024), z.literal(512), z.literal(256)]).optional(),
  normalize: z.boolean().optional(),
});
const cohereEmbed = z.strictObject({
  texts: z.array(z.string()).min(1).max(96),
  input_type: z.enum(["search_document", "search_query", "classification", "clustering"]),
  truncate: z.enum(["NONE", "START", "END"]).optional(),
});
const bodies: Readonly<Record<string, z.ZodType>> = {
  "amazon.nova-canvas-v1:0": novaCanvas,
  "stability.stable-image-core-v1:1": stability,
  "somebody.new-painter-v1:0": z.strictObject({ words: z.string() }),
  "amazon.titan-embed-text-v2:0": titanEmbed,
  "cohere.embed-english-v3": cohereEmbed,
};

export function refuseInvoke(modelId: string, value: unknown): string | null {
  const body = bodies[modelId];
  if (!body) return "The provided model identifier is invalid.";
  const read = body.safeParse(value);
  if (read.success) return null;
  const [issue] = read.error.issues;
  return `Malformed input request: ${issue?.path.join("/") || "#"}: ${issue?.message}, please reformat your input and try again.`;
}

export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A script's `text` is a filter's message, and then there is no picture. */
export function answerInvoke(
  { call, post, behaviour }: { call: Call; post: Post; behaviour: Behaviour },
  modelId: string,
): void {
  if (modelId === "cohere.embed-english-v3")
    call.response.setHeader("x-amzn-bedrock-input-token-count", "2");
  json(
    call.response,
    bodyOf(modelId, post, typeof behaviour.text === "string" ? behaviour.text : undefined),
  );
}

function bodyOf(modelId: string, post: Post, filtered: string | undefined): object {
  switch (modelId) {
    case "amazon.titan-embed-text-v2:0":
      return {
        embedding: [(post.body as { inputText: string }).inputText.length / 16, 0.2, 0.3],
        inputTextTokenCount: 3,
        embeddingsByType: {},
      };
    case "cohere.embed-english-v3": {
      const { texts } = post.body as { texts: string[] };
      return {
        id: "sim",
        embeddings: texts.map((text) => [text.length / 16, 0.5]),
        response_type: "embeddings_floats",
        texts,
      };
    }
    case "stability.stable-image-core-v1:1":
      return {
        seeds: [7],
        finish_reasons: [filtered ?? null],
        images: filtered === undefined ? [pixel] : [],
      };
    case "somebody.new-painter-v1:0":
      return { artifacts: [{ base64: pixel }] };
    default: {
      const { imageGenerationConfig } = post.body as {
        imageGenerationConfig?: { numberOfImages?: number };
      };
      const images = Array.from(
        { length: imageGenerationConfig?.numberOfImages ?? 1 },
        () => pixel,
      );
      return filtered === undefined ? { images } : { images: images.slice(1), error: filtered };
    }
  }
}

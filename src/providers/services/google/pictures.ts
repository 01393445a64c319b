import { sentences } from "#contract/sentences/index.ts";
import {
  type AnswerPart,
  type ChatTurn,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import type { SdkCall } from "../../ai-sdk/sdk-call.ts";
import { fileOf, given } from "../../wire/media-input.ts";
import { recordsOf } from "../../wire/values.ts";
import { postObject } from "./access.ts";
import { answerGemini, type GeminiModel } from "./chat.ts";

/**
 * Draws a picture with a Gemini model, from text and other pictures.
 * @throws ProviderError when it drew none
 */
export async function* answerDrawn(
  call: SdkCall,
  model: GeminiModel,
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const { prompt, images, aspectRatio, imageSize } = request.input;
  const references = Array.isArray(images) ? images : [];
  const turn: ChatTurn = {
    role: "user",
    parts: [
      { type: "text", text: String(prompt ?? "") },
      ...references.map((reference) => ({
        type: "file" as const,
        file: fileOf(request, reference, "images"),
      })),
    ],
  };
  const size = {
    ...(typeof aspectRatio === "string" && aspectRatio && { aspectRatio }),
    ...(typeof imageSize === "string" && imageSize && { imageSize }),
  };
  // A picture's thoughts are drafts of it, which aren't shown.
  const asked = {
    ...request,
    turns: [turn],
    model: { ...request.model, capabilities: { imageInput: true } },
  };
  const options = {
    responseModalities: ["IMAGE"],
    ...(Object.keys(size).length > 0 && { imageConfig: size }),
  };
  let pictures = 0;
  for await (const part of answerGemini(call, model, asked, context, options)) {
    if (part.type === "file") {
      pictures++;
      yield part;
    } else if (part.type === "finish") {
      if (pictures === 0)
        throw noPicture(
          part.reason === "content-filter"
            ? sentences.answers.googlePictureFiltered
            : sentences.answers.noPictureMade,
        );
      // If the picture's tokens aren't counted separately, all tokens count as the picture's, the
      // most expensive kind.
      const imageOutputTokens = part.usage.imageOutputTokens ?? part.usage.outputTokens;
      const units = { ...part.usage.units, images: String(pictures) };
      yield {
        ...part,
        usage: {
          ...part.usage,
          ...(imageOutputTokens !== undefined && { imageOutputTokens }),
          units,
        },
      };
    }
  }
}

/**
 * Imagen's settings by their parameter names
 * (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api).
 */
const settings = ["sampleCount", "aspectRatio", "sampleImageSize", "personGeneration"];

/**
 * Makes pictures with Imagen: one `predict` with a whole response.
 * @throws ProviderError `provider_rejected` when its filters left none
 */
export async function* answerImagen(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const body = await postObject(
    context,
    `/models/${encodeURIComponent(request.model.id)}:predict`,
    {
      instances: [{ prompt: String(request.input.prompt ?? "") }],
      // The default would be four.
      parameters: { sampleCount: 1, ...given(request, settings), includeRaiReason: true },
    },
  );
  const predictions = recordsOf(body.predictions);
  const reasons = predictions.flatMap(({ raiFilteredReason }) =>
    typeof raiFilteredReason === "string" ? [raiFilteredReason] : [],
  );
  const pictures = predictions.filter(
    ({ bytesBase64Encoded }) => typeof bytesBase64Encoded === "string" && bytesBase64Encoded,
  );
  if (pictures.length === 0)
    throw noPicture(reasons[0] ?? sentences.answers.googlePicturesFiltered);
  for (const reason of new Set(reasons))
    context.warn({
      type: "note",
      feature: "safety",
      message: sentences.answers.pictureLeftOut({ reason }),
    });
  for (const [index, picture] of pictures.entries()) {
    const name = pictures.length === 1 ? "picture" : `picture-${index + 1}`;
    const mime = typeof picture.mimeType === "string" ? picture.mimeType : "image/png";
    yield {
      type: "file",
      output: { name, mime, bytes: Buffer.from(String(picture.bytesBase64Encoded), "base64") },
    };
  }
  yield { type: "finish", reason: "stop", usage: { units: { images: String(pictures.length) } } };
}

const noPicture = (why: string): ProviderError =>
  new ProviderError("provider_rejected", "yes", {
    message: sentences.answers.googleNoPicture({ reason: why }),
  });

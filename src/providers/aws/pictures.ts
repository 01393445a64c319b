import type { Json, JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type AnswerPart, ProviderError, type RunContext } from "../adapter.ts";
import { isRecord } from "../wire/error-fields.ts";

/**
 * Yields the pictures in a model's own JSON: `images` (Amazon, Stability), `generated_images`
 * (JumpStart), one `image` or `artifacts[].base64`. Filtered pictures are reported.
 * @throws ProviderError
 */
export async function* readPictures(
  answer: Json,
  context: Pick<RunContext, "warn">,
): AsyncGenerator<AnswerPart> {
  const body = isRecord(answer) ? (answer as JsonObject) : {};
  const pictures = picturesIn(body);
  const reasons = Array.isArray(body.finish_reasons)
    ? body.finish_reasons.filter((reason) => typeof reason === "string")
    : [];
  const held =
    (typeof body.error === "string" && body.error !== "" ? body.error : undefined) ??
    (reasons.length > 0 ? reasons.join(", ") : undefined);
  if (pictures.length === 0 && held)
    throw new ProviderError("provider_rejected", "yes", {
      message: sentences.cloud.noPictureBecause({ reason: held }),
      providerMessage: held,
    });
  if (pictures.length === 0)
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.answers.noPicture,
    });
  if (held) context.warn({ type: "note", feature: "content filter", message: held });
  for (const [index, picture] of pictures.entries()) {
    const name = pictures.length === 1 ? "picture" : `picture-${index + 1}`;
    yield {
      type: "file",
      output: { name, bytes: Buffer.from(picture.replace(/^data:[^,]*,/, ""), "base64") },
    };
  }
  const seeds = Array.isArray(body.seeds) ? body.seeds : undefined;
  yield {
    type: "finish",
    reason: held ? "content-filter" : "stop",
    usage: { units: { images: String(pictures.length) } },
    ...(seeds && { result: { seeds } }),
  };
}

/** Returns each picture as base64, wherever these models put it. */
export function picturesIn(body: JsonObject): string[] {
  const artifacts = Array.isArray(body.artifacts)
    ? body.artifacts.map((artifact) => (isRecord(artifact) ? artifact.base64 : null))
    : [];
  const lists = [body.images, body.generated_images].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return [...lists, body.image, ...artifacts].filter(
    (picture): picture is string => typeof picture === "string" && picture !== "",
  );
}

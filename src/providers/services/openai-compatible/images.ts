import { sentences } from "#contract/sentences/index.ts";
import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions } from "../../wire/http-errors.ts";
import { fileOf, given, readMediaUsage } from "../../wire/media-input.ts";
import { createMultipart } from "../../wire/multipart.ts";
import { recordsOf } from "../../wire/values.ts";
import { call, postJson } from "./access.ts";
import { readCost } from "./chat-reader.ts";
import { unexpectedBody } from "./errors.ts";
import type { Quirks } from "./quirks.ts";

const settings = ["n", "size", "quality", "background", "output_format"];

/**
 * Makes pictures from a prompt (/images/generations), or from pictures and a prompt
 * (/images/edits): one POST with a whole response.
 */
export async function* answerImages(
  request: RunRequest,
  context: RunContext,
  quirks: Quirks = {},
): AsyncGenerator<AnswerPart> {
  const chosen = quirks.pictureFields?.(request.input) ?? given(request, settings);
  yield* readPictures(await postForPictures(request, context, chosen), request, context);
}

/**
 * Yields the parts of a whole response; a warning names an entry without a picture.
 * @throws ProviderError when there is no picture
 */
export async function* readPictures(
  response: Response,
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const body = await readJson(response, readOptions(context, "POST"));
  const pictures = isRecord(body) && !body.error ? recordsOf(body.data) : [];
  if (!isRecord(body) || pictures.length === 0) throw unexpectedBody(body, answerer(context));

  const mime = typeof body.output_format === "string" ? `image/${body.output_format}` : undefined;
  if (!pictures.some(hasPicture)) throw unexpectedBody(pictures[0], answerer(context));
  for (const [index, picture] of pictures.entries()) {
    if (!hasPicture(picture)) {
      const message = sentences.answers.pictureMissing({
        index: index + 1,
        count: pictures.length,
      });
      context.warn({ type: "note", feature: `outputs.${index}`, message });
      continue;
    }
    const name = pictures.length === 1 ? "picture" : `picture-${index + 1}`;
    if (
      typeof picture.revised_prompt === "string" &&
      picture.revised_prompt !== request.input.prompt
    ) {
      context.warn({
        type: "note",
        feature: "prompt",
        message: sentences.answers.rewrittenPrompt({ prompt: picture.revised_prompt }),
      });
    }
    if (typeof picture.b64_json === "string" && picture.b64_json) {
      yield {
        type: "file",
        output: { name, ...(mime && { mime }), bytes: Buffer.from(picture.b64_json, "base64") },
      };
    } else if (typeof picture.url === "string" && picture.url.startsWith("data:")) {
      yield {
        type: "file",
        output: {
          name,
          bytes: Buffer.from(picture.url.slice(picture.url.indexOf(",") + 1), "base64"),
        },
      };
    } else yield { type: "file", output: { name, url: String(picture.url) } };
  }
  const usage = readMediaUsage(body.usage);
  const costMicros = readCost(body.usage);
  yield {
    type: "finish",
    reason: "stop",
    usage: { ...usage, units: { images: String(pictures.length) } },
    ...(costMicros !== undefined && { costMicros }),
  };
}

const hasPicture = ({ b64_json: bytes, url }: Record<string, unknown>): boolean =>
  (typeof bytes === "string" && bytes !== "") || (typeof url === "string" && url !== "");

/**
 * Makes the one POST, to the edits if there are source pictures. `chosen` are the settings by the
 * API's names.
 */
export function postForPictures(
  request: RunRequest,
  context: RunContext,
  chosen: { [field: string]: string | number | boolean },
): Promise<Response> {
  const fields = { model: request.model.id, prompt: String(request.input.prompt ?? ""), ...chosen };
  const images = Array.isArray(request.input.images) ? request.input.images : [];
  if (images.length === 0) {
    if (request.input.mask)
      context.warn({
        type: "unsupported",
        feature: "mask",
        message: sentences.settings.maskNeedsPicture,
      });
    return postJson(context, "/images/generations", fields);
  }
  // A single picture uses the name that every server knows, several use OpenAI's.
  const name = images.length === 1 ? "image" : "image[]";
  const form = createMultipart([
    ...Object.entries(fields).map(([field, value]) => [field, String(value)] as const),
    ...images.map((reference) => [name, fileOf(request, reference, "images")] as const),
    ...(request.input.mask ? [["mask", fileOf(request, request.input.mask, "mask")] as const] : []),
  ]);
  return call(context, "/images/edits", { method: "POST", ...form });
}

import { sentences } from "#contract/sentences/index.ts";
import { type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readEvents } from "../../wire/event-stream.ts";
import { given, readMediaUsage } from "../../wire/media-input.ts";
import { toAnswerError, unexpectedBody } from "../openai-compatible/errors.ts";
import { answerImages, postForPictures, readPictures } from "../openai-compatible/images.ts";

const settings = [
  "n",
  "size",
  "quality",
  "background",
  "output_format",
  "output_compression",
  "moderation",
];
/** An event contains a whole picture in base64. */
const mostCharacters = 96 * 1024 ** 2;

/**
 * Makes pictures with GPT Image; a single one is shown while it is made. Other models don't stream.
 */
export async function* answerPictures(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  if (!request.model.capabilities.preview) {
    yield* answerImages(request, context);
    return;
  }
  const previews = previewsOf(request);
  const watched = previews > 0 && { stream: true, partial_images: previews };
  const response = await postForPictures(request, context, {
    ...given(request, settings),
    ...watched,
  });
  if (response.body && response.headers.get("content-type")?.startsWith("text/event-stream"))
    yield* readStream(response.body, context);
  else yield* readPictures(response, request, context);
}

/** The API streams only a single picture. */
const previewsOf = ({ input }: RunRequest): number =>
  Number(input.n ?? 1) > 1 ? 0 : Number(input.partial_images ?? 1);

/**
 * Events `image_generation.partial_image` and `.completed`, or `image_edit.…`
 * (https://platform.openai.com/docs/api-reference/images-streaming).
 */
async function* readStream(
  body: ReadableStream<Uint8Array>,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const facts = answerer(context);
  for await (const events of readEvents(body, { mostCharacters })) {
    for (const { data } of events) {
      const event = parse(data, facts.host);
      if (!isRecord(event)) continue;
      if (event.type === "error" || event.error) throw toAnswerError(event, facts);
      const mime = `image/${typeof event.output_format === "string" ? event.output_format : "png"}`;
      const isDone = typeof event.type === "string" && event.type.endsWith(".completed");
      if (typeof event.b64_json !== "string") {
        if (isDone) throw unexpectedBody(event, facts);
        continue;
      }
      const bytes = Buffer.from(event.b64_json, "base64");
      if (!isDone) yield { type: "preview", mime, bytes };
      else {
        yield { type: "file", output: { name: "picture", mime, bytes } };
        yield {
          type: "finish",
          reason: "stop",
          usage: { ...readMediaUsage(event.usage), units: { images: "1" } },
        };
        return;
      }
    }
  }
  throw new ProviderError("provider_interrupted", "yes");
}

function parse(data: string, host: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    const message = sentences.answers.unreadableLineOnly({ host });
    throw new ProviderError("provider_protocol", "yes", { message }, { cause });
  }
}

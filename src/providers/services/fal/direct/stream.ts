import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type AnswerPart,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { readEvents } from "../../../wire/event-stream.ts";
import { unlessPage } from "../../../wire/http-errors.ts";
import { callFal, falUrl, parseEvent } from "../call.ts";
import { toStreamError } from "../errors.ts";
import { readDataUrl } from "../files/output-files.ts";
import { toFalCall } from "../input.ts";
import { resultOf, toJobResult } from "../queue/result.ts";
import { nameRequest } from "./direct.ts";

/** fal's path for results in pieces (docs.fal.ai, "Streaming endpoints"). */
const path = "/stream";

/** Whether this model's runs are streamed: by its id, or because the connection names it. */
export const isStreamed = (options: JsonObject, model: string): boolean =>
  model.endsWith(path) ||
  String(options.streamModels ?? "")
    .split(/[\s,]+/)
    .includes(model);

/**
 * Makes one POST whose response is an event stream. Each event contains the output so far, and the
 * last one the result. Text grows from event to event; a picture in an event is shown but not
 * saved. As with a direct run, a lost response leaves the outcome unknown, because there is no id
 * to poll.
 */
export async function* runStreamed(
  request: RunRequest,
  context: RunContext,
): AsyncIterable<AnswerPart> {
  const { json, headers } = await toFalCall(request, context);
  const id = request.model.id;
  const url = falUrl(context, "run", id.endsWith(path) ? id : `${id}${path}`);
  const answer = await callFal(context, url, {
    phase: "submit",
    method: "POST",
    json,
    headers,
    accept: "text/event-stream",
  });
  nameRequest(answer, context);
  const response = await unlessPage(answer, "POST");
  let answerText = "";
  let last: Record<string, unknown> | undefined;
  let held: JsonObject | undefined;
  // A stream whose label was lost on the way is still a stream.
  if (!response.body || /^application\/json\b/i.test(response.headers.get("content-type") ?? "")) {
    yield* finishWith(await toJobResult(response, "submit", context));
    return;
  }
  for await (const events of readEvents(response.body)) {
    for (const { data } of events) {
      last = readData(data, context);
      const text =
        typeof last.output === "string"
          ? last.output
          : typeof last.text === "string"
            ? last.text
            : "";
      // Usually the whole text so far; a few models send only the new part.
      const fresh = text.startsWith(answerText) ? text.slice(answerText.length) : text;
      answerText += fresh;
      if (fresh) yield { type: "text", text: fresh };
      const preview = previewOf(last);
      if (preview && last.partial !== false) yield preview;
      const share =
        typeof last.progress === "number" && last.progress >= 0 && last.progress <= 1
          ? last.progress
          : undefined;
      if (share !== undefined) yield { type: "progress", done: share, total: 1 };
      if (held) yield { type: "partial", data: held };
      const partial = partialOf(last, { text, preview });
      // An event without a mark may be the result: only a following event shows that it isn't.
      const isSure = last.partial === true || text !== "" || preview !== undefined;
      if (partial && isSure) yield { type: "partial", data: partial };
      held = isSure ? undefined : partial;
    }
  }
  if (!last || last.partial === true)
    throw new ProviderError("provider_interrupted", "yes", {
      message: sentences.answers.streamEnded,
    });
  yield* finishWith(await resultOf(last, response, "submit", context));
}

function* finishWith({
  files,
  result,
  usage,
}: Awaited<ReturnType<typeof resultOf>>): Generator<AnswerPart> {
  for (const output of files) yield { type: "file", output };
  yield { type: "finish", reason: "stop", usage, result };
}

/** A larger event, besides its text and picture, isn't passed on. */
const partialCharacters = 16_000;

/**
 * Returns what a program sees of an event that isn't the last: all of it, with empty text in place
 * of its words and picture. Undefined for one marked as the last, and for a large one.
 */
function partialOf(
  event: Record<string, unknown>,
  { text, preview }: { text: string; preview: AnswerPart | undefined },
): JsonObject | undefined {
  if (event.partial === false) return undefined;
  const { image, images } = event;
  const partial = {
    ...event,
    ...(text !== "" && event.output === text && { output: "" }),
    ...(text !== "" && event.output !== text && { text: "" }),
    ...(preview && isRecord(image) && { image: { ...image, url: "" } }),
    ...(preview &&
      Array.isArray(images) && {
        images: images.map((one, index) =>
          index === 0 && isRecord(one) ? { ...one, url: "" } : one,
        ),
      }),
  };
  return JSON.stringify(partial).length <= partialCharacters ? (partial as JsonObject) : undefined;
}

function readData(data: string, { connection }: RunContext): Record<string, unknown> {
  const event = parseEvent(data);
  if (!isRecord(event))
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.fal.otherEvent,
    });
  const failure = toStreamError(event, connection.secret);
  if (failure) throw failure;
  return event;
}

/**
 * Returns the first picture inside the event itself: a URL would have to be fetched, and expires
 * soon.
 */
function previewOf(
  event: Record<string, unknown>,
): Extract<AnswerPart, { type: "preview" }> | undefined {
  const [first] = Array.isArray(event.images) ? event.images : [event.image];
  if (!isRecord(first) || typeof first.url !== "string" || !first.url.startsWith("data:image/"))
    return undefined;
  const file = readDataUrl({ url: first.url, name: "preview" });
  return file && "bytes" in file
    ? { type: "preview", mime: file.mime ?? "image/jpeg", bytes: file.bytes }
    : undefined;
}

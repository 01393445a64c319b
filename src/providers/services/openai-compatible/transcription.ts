import { type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readEvents } from "../../wire/event-stream.ts";
import { readJson, readOptions, readText } from "../../wire/http-errors.ts";
import { fileOf, given, readMediaUsage } from "../../wire/media-input.ts";
import { createMultipart } from "../../wire/multipart.ts";
import { call } from "./access.ts";
import { unexpectedBody } from "./errors.ts";
import type { Quirks } from "./quirks.ts";
import { isDiarizing } from "./schemas.ts";

const subtitles: Readonly<Record<string, string>> = {
  srt: "application/x-subrip",
  vtt: "text/vtt",
};
/** The subtitles of a day of speech are far smaller. */
const maxBytes = 32 * 1024 ** 2;

/**
 * `transcript.text.delta` and `.done`
 * (https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event).
 */
async function* readStream(
  body: ReadableStream<Uint8Array>,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const facts = answerer(context);
  for await (const events of readEvents(body, { last: "[DONE]" }))
    for (const { data } of events) {
      if (data === "[DONE]") continue;
      const event = parse(data);
      if (!isRecord(event) || event.error) throw unexpectedBody(event, facts);
      if (event.type === "transcript.text.delta" && typeof event.delta === "string")
        yield { type: "text", text: event.delta };
      if (event.type === "transcript.text.done")
        return yield { type: "finish", reason: "stop", usage: readMediaUsage(event.usage) };
    }
  throw new ProviderError("provider_interrupted", "yes");
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

/** Only the detailed format has them; other formats refuse the parameter. */
function timestampsOf({ input }: RunRequest, form: string): string[] {
  const wanted = form === "verbose_json" ? input.timestamp_granularities : undefined;
  return Array.isArray(wanted) ? wanted.map(String) : [];
}

/**
 * Transcribes speech (/audio/transcriptions). Subtitles and the detailed format are files in
 * addition to the text.
 */
export async function* answerTranscription(
  request: RunRequest,
  context: RunContext,
  quirks: Quirks = {},
  /** Whether the model streams its words; if so, a plain transcript is requested as a stream. */
  streams = false,
): AsyncGenerator<AnswerPart> {
  const form =
    typeof request.input.response_format === "string" ? request.input.response_format : "json";
  const fields = quirks.transcriptFields ?? ["language", "prompt", "temperature"];
  const asksForStream = streams && form === "json";
  const multipart = createMultipart([
    ["model", request.model.id],
    ...(quirks.transcriptFields ? [] : [["response_format", form] as const]),
    ...Object.entries(given(request, fields)).map(
      ([name, value]) => [name, String(value)] as const,
    ),
    ...timestampsOf(request, form).map((one) => ["timestamp_granularities[]", one] as const),
    // Required above 30 seconds of speech.
    ...(isDiarizing(request.model.id) ? [["chunking_strategy", "auto"] as const] : []),
    ...(asksForStream ? [["stream", "true"] as const] : []),
    ["file", fileOf(request, request.input.file, "file")],
  ]);
  const response = await call(context, "/audio/transcriptions", { method: "POST", ...multipart });

  // Events with another label are read anyway.
  const isWhole = /^application\/json\b/i.test(response.headers.get("content-type") ?? "");
  if (asksForStream && !isWhole && response.body) return yield* readStream(response.body, context);
  if (subtitles[form]) {
    const text = await readText(response, maxBytes);
    yield { type: "text", text };
    yield {
      type: "file",
      output: { name: `transcript.${form}`, mime: subtitles[form], bytes: Buffer.from(text) },
    };
    yield { type: "finish", reason: "stop", usage: {} };
    return;
  }
  const body = await readJson(response, readOptions(context, "POST"), maxBytes);
  if (!isRecord(body) || body.error || typeof body.text !== "string") {
    throw unexpectedBody(body, answerer(context));
  }
  yield { type: "text", text: body.text };
  if (form === "verbose_json" || form === "diarized_json") {
    yield {
      type: "file",
      output: {
        name: "transcript.json",
        mime: "application/json",
        bytes: Buffer.from(JSON.stringify(body, null, 2)),
      },
    };
  }
  yield { type: "finish", reason: "stop", usage: readMediaUsage(body.usage) };
}

import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions, readText } from "../../wire/http-errors.ts";
import { fileOf, given, readMediaUsage } from "../../wire/media-input.ts";
import { createMultipart } from "../../wire/multipart.ts";
import { call } from "./access.ts";
import { unexpectedBody } from "./errors.ts";
import type { Quirks } from "./quirks.ts";

const subtitles: Readonly<Record<string, string>> = {
  srt: "application/x-subrip",
  vtt: "text/vtt",
};
/** A day of speech as subtitles is far below. */
const mostBytes = 32 * 1024 ** 2;

/** Speech as text (/audio/transcriptions). Subtitles and the detailed form are files in addition to the text. */
export async function* answerTranscription(
  request: RunRequest,
  context: RunContext,
  quirks: Quirks = {},
): AsyncGenerator<AnswerPart> {
  const form =
    typeof request.input.response_format === "string" ? request.input.response_format : "json";
  const fields = quirks.transcriptFields ?? ["language", "prompt", "temperature"];
  const multipart = createMultipart([
    ["model", request.model.id],
    ...(quirks.transcriptFields ? [] : [["response_format", form] as const]),
    ...Object.entries(given(request, fields)).map(
      ([name, value]) => [name, String(value)] as const,
    ),
    ["file", fileOf(request, request.input.file, "file")],
  ]);
  const response = await call(context, "/audio/transcriptions", { method: "POST", ...multipart });

  if (subtitles[form]) {
    const text = await readText(response, mostBytes);
    yield { type: "text", text };
    yield {
      type: "file",
      output: { name: `transcript.${form}`, mime: subtitles[form], bytes: Buffer.from(text) },
    };
    yield { type: "finish", reason: "stop", usage: {} };
    return;
  }
  const body = await readJson(response, readOptions(context, "POST"), mostBytes);
  if (!isRecord(body) || body.error || typeof body.text !== "string") {
    throw unexpectedBody(body, answerer(context));
  }
  yield { type: "text", text: body.text };
  if (form === "verbose_json") {
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

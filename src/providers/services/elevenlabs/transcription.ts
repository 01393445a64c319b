import { sentences } from "#contract/sentences/index.ts";
import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { fileOf, given } from "../../wire/media-input.ts";
import { createMultipart } from "../../wire/multipart.ts";
import { recordsOf } from "../../wire/values.ts";
import { api } from "./access.ts";

/**
 * Transcribes speech (Scribe): the words with their times, and an optional additional format, as
 * files.
 */
export async function* answerTranscription(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const { input } = request;
  const flags = ["diarize", "tag_audio_events"].flatMap((name) =>
    typeof input[name] === "boolean" ? [[name, String(input[name])] as const] : [],
  );
  const chosen = given(request, [
    "language_code",
    "num_speakers",
    "timestamps_granularity",
    "temperature",
    "seed",
  ]);
  const form = createMultipart([
    ["model_id", request.model.id],
    ...Object.entries(chosen).map(([name, value]) => [name, String(value)] as const),
    ...flags,
    ...(typeof input.format === "string" && input.format
      ? [["additional_formats", JSON.stringify([{ format: input.format }])] as const]
      : []),
    ["file", fileOf(request, input.file, "file")],
  ]);
  const asking = { method: "POST" as const, ...form };
  const body = await api.callObject(context, "/v1/speech-to-text", asking);
  if (typeof body.text !== "string") throw api.unexpected(asking);
  yield { type: "text", text: body.text };
  const { additional_formats: further, ...transcript } = body;
  const bytes = Buffer.from(JSON.stringify(transcript, null, 2));
  yield { type: "file", output: { name: "transcript.json", mime: "application/json", bytes } };
  for (const one of recordsOf(further)) {
    const file = toFile(one);
    if (file) yield file;
    else
      context.warn({
        type: "note",
        feature: "format",
        message: sentences.answers.formatMissing({
          format: String(one.requested_format ?? "A format"),
        }),
      });
  }
  const seconds = secondsOf(body);
  const result = {
    ...(typeof body.language_code === "string" && { language: body.language_code }),
  };
  yield {
    type: "finish",
    reason: "stop",
    usage: seconds === undefined ? {} : { units: { seconds: String(seconds) } },
    result,
  };
}

/** Undefined for a format that arrived without content. */
function toFile({
  file_extension: end,
  content_type: mime,
  content,
  is_base64_encoded: isBase64,
}: Record<string, unknown>): AnswerPart | undefined {
  if (typeof content !== "string") return undefined;
  const name = `transcript.${typeof end === "string" && /^\w+$/.test(end) ? end : "txt"}`;
  const bytes = Buffer.from(content, isBase64 === true ? "base64" : "utf8");
  return { type: "file", output: { name, ...(typeof mime === "string" && { mime }), bytes } };
}

/** Returns the recording's length: as stated, or from its last word. */
function secondsOf({
  audio_duration_secs: stated,
  words,
}: Record<string, unknown>): number | undefined {
  if (typeof stated === "number") return stated;
  const last = recordsOf(words).at(-1);
  return typeof last?.end === "number" ? last.end : undefined;
}

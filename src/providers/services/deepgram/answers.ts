import { sentences } from "#contract/sentences/index.ts";
import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { toByteStream } from "../../wire/byte-stream.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { fileOf } from "../../wire/media-input.ts";
import { answerRecording, jsonBody } from "../../wire/service-api.ts";
import { recordsOf } from "../../wire/values.ts";
import { api } from "./access.ts";
import { listenFlags, soundFormats } from "./models.ts";

/**
 * Transcribes a recording: its bytes are the body, the settings go into the URL. The full response
 * is saved as a file in addition to the text.
 */
export async function* answerTranscription(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const { input, model } = request;
  const file = fileOf(request, input.file, "file");
  const query = new URLSearchParams({ model: model.id });
  if (input.language === "detect") query.set("detect_language", "true");
  else if (typeof input.language === "string" && input.language !== "")
    query.set("language", input.language);
  for (const name of listenFlags)
    if (typeof input[name] === "boolean") query.set(name, String(input[name]));
  for (const term of Array.isArray(input.keyterms) ? input.keyterms : []) {
    if (typeof term === "string" && term !== "") query.append("keyterm", term);
  }
  const asking = {
    method: "POST" as const,
    headers: { "content-type": file.mime, "content-length": String(file.bytes) },
    body: toByteStream(await file.open()),
  };
  const body = await api.callObject(context, `/v1/listen?${query}`, asking);
  const results = isRecord(body.results) ? body.results : {};
  const channels = recordsOf(results.channels);
  const transcripts = channels.map(transcriptOf);
  const spoken = transcripts.filter((transcript) => transcript !== undefined);
  if (spoken.length === 0) throw api.unexpected(asking);
  for (const [index, transcript] of transcripts.entries()) {
    if (transcript !== undefined) continue;
    const message = sentences.answers.channelMissing({
      channel: index + 1,
      count: channels.length,
    });
    context.warn({ type: "note", feature: `channels.${index}`, message });
  }
  yield { type: "text", text: spoken.join("\n\n") };
  yield {
    type: "file",
    output: {
      name: "transcript.json",
      mime: "application/json",
      bytes: Buffer.from(JSON.stringify(body, null, 2)),
    },
  };
  const metadata = isRecord(body.metadata) ? body.metadata : {};
  const language = channels[0]?.detected_language;
  yield {
    type: "finish",
    reason: "stop",
    usage:
      typeof metadata.duration === "number"
        ? { units: { seconds: String(metadata.duration) } }
        : {},
    result: {
      ...(typeof metadata.request_id === "string" && { requestId: metadata.request_id }),
      ...(typeof language === "string" && { language }),
    },
  };
}

/**
 * Returns the transcript, in paragraphs and by speaker if requested; undefined for a channel
 * without one.
 */
function transcriptOf({ alternatives }: Record<string, unknown>): string | undefined {
  const best: unknown = Array.isArray(alternatives) ? alternatives[0] : undefined;
  if (!isRecord(best) || typeof best.transcript !== "string") return undefined;
  const whole =
    isRecord(best.paragraphs) && typeof best.paragraphs.transcript === "string"
      ? best.paragraphs.transcript.trim()
      : "";
  return whole || best.transcript;
}

/** Reads text aloud with a voice, which is the model. */
export async function* answerSpeech(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const { input, model } = request;
  const text = String(input.text ?? "");
  const query = new URLSearchParams({
    model: model.id,
    ...soundFormats[String(input.format ?? "")],
  });
  const asking = { method: "POST" as const, ...jsonBody({ text }) };
  const response = await api.call(context, `/v1/speak?${query}`, asking);
  const counted = response.headers.get("dg-char-count") ?? "";
  const requestId = response.headers.get("dg-request-id");
  yield* answerRecording(response, "speech", api.unexpected(asking));
  yield {
    type: "finish",
    reason: "stop",
    usage: { units: { characters: /^\d+$/.test(counted) ? counted : String([...text].length) } },
    ...(requestId && { result: { requestId } }),
  };
}

import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions } from "../../wire/http-errors.ts";
import { given } from "../../wire/media-input.ts";
import { mimeOf, recordingIn } from "../../wire/service-api.ts";
import { postJson } from "./access.ts";
import { unexpectedBody } from "./errors.ts";

/**
 * Reads text aloud (/audio/speech). The response body is the recording, passed on as it arrives.
 * The engine stores it, so that a paid result can still be saved on a second try.
 */
export async function* answerSpeech(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const response = await postJson(context, "/audio/speech", {
    model: request.model.id,
    input: String(request.input.input ?? ""),
    voice: String(request.input.voice ?? "alloy"),
    ...given(request, ["instructions", "response_format", "speed"]),
  });
  const mime = mimeOf(response);
  if (mime === "application/json" || !response.body) {
    const body = response.body ? await readJson(response, readOptions(context, "POST")) : null;
    throw unexpectedBody(isRecord(body) ? body : null, answerer(context));
  }
  const known = mime.startsWith("audio/") ? { mime } : {};
  for await (const bytes of recordingIn(response.body)) yield { type: "sound", bytes, ...known };
  yield { type: "recorded", name: "speech", ...known };
  yield {
    type: "finish",
    reason: "stop",
    usage: { units: { characters: String([...String(request.input.input ?? "")].length) } },
  };
}

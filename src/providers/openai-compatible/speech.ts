import type { AnswerPart, RunContext, RunRequest } from "../adapter.ts";
import { isRecord } from "../error-words.ts";
import { readJson } from "../http-errors.ts";
import { answerer, asked, postJson } from "./access.ts";
import { unexpectedBody } from "./errors.ts";
import { given } from "./media-answer.ts";

/** Text read aloud (/audio/speech): the answer's body is the recording, handed on as it comes. The next part is asked for when the file has been read. */
export async function* answerSpeech(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const response = await postJson(context, "/audio/speech", {
    model: request.model.id,
    input: String(request.input.input ?? ""),
    voice: String(request.input.voice ?? "alloy"),
    ...given(request, ["instructions", "response_format", "speed"]),
  });
  const mime = response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (mime === "application/json" || !response.body) {
    const body = response.body ? await readJson(response, asked(context, "POST")) : null;
    throw unexpectedBody(isRecord(body) ? body : null, answerer(context));
  }
  yield { type: "file", output: { name: "speech", ...(mime.startsWith("audio/") && { mime }), stream: response.body } };
  yield { type: "finish", reason: "stop", usage: { units: { characters: String([...String(request.input.input ?? "")].length) } } };
}

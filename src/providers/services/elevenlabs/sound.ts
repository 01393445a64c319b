import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../../adapter.ts";
import { given } from "../../wire/media-input.ts";
import { answerRecording, jsonBody } from "../../wire/service-api.ts";
import { api } from "./access.ts";
import { isSoundEffect } from "./models.ts";

/** Reads text aloud with a voice. */
export async function* answerSpeech(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const { input } = request;
  const settings = {
    ...given(request, ["stability", "similarity_boost", "style", "speed"]),
    ...(typeof input.use_speaker_boost === "boolean" && {
      use_speaker_boost: input.use_speaker_boost,
    }),
  };
  const voice = typeof input.voice === "string" ? input.voice : "";
  if (!voice)
    throw new ProviderError("provider_invalid_input", "no", {
      message: sentences.media.voiceNeeded,
      field: "voice",
    });
  const text = String(input.text ?? "");
  yield* answerSound(request, context, `/v1/text-to-speech/${encodeURIComponent(voice)}`, {
    text,
    model_id: request.model.id,
    ...given(request, ["language_code", "seed"]),
    ...(Object.keys(settings).length > 0 && { voice_settings: settings }),
  });
}

/** Makes a sound effect or music from a prompt. */
export async function* answerMusic(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const { input, model } = request;
  const flag = (name: string) => (typeof input[name] === "boolean" ? { [name]: input[name] } : {});
  if (isSoundEffect(model.id)) {
    const chosen = { ...given(request, ["duration_seconds", "prompt_influence"]), ...flag("loop") };
    yield* answerSound(request, context, "/v1/sound-generation", {
      text: String(input.text ?? ""),
      model_id: model.id,
      ...chosen,
    });
    return;
  }
  yield* answerSound(request, context, "/v1/music", {
    prompt: String(input.prompt ?? ""),
    model_id: model.id,
    ...(typeof input.seconds === "number" && {
      music_length_ms: Math.round(input.seconds * 1_000),
    }),
    ...flag("force_instrumental"),
  });
}

/** The response body is the sound; its headers name the request and the credits used, if any. */
async function* answerSound(
  request: RunRequest,
  context: RunContext,
  path: string,
  body: JsonObject,
): AsyncGenerator<AnswerPart> {
  const format = typeof request.input.output_format === "string" && request.input.output_format;
  const asking = { method: "POST" as const, ...jsonBody(body) };
  const response = await api.call(
    context,
    `${path}${format ? `?output_format=${encodeURIComponent(format)}` : ""}`,
    asking,
  );
  const head = (name: string) => response.headers.get(name) ?? "";
  const credits = head("character-cost");
  const ids = Object.entries({ requestId: head("request-id"), songId: head("song-id") }).filter(
    ([, id]) => id !== "",
  );
  const name = request.task === "speech" ? "speech" : "sound";
  yield* answerRecording(response, name, api.unexpected(asking));
  yield {
    type: "finish",
    reason: "stop",
    usage: {
      units: {
        ...(typeof body.text === "string" &&
          request.task === "speech" && { characters: String([...body.text].length) }),
        ...(/^\d+(\.\d+)?$/.test(credits) && { credits }),
      },
    },
    ...(ids.length > 0 && { result: Object.fromEntries(ids) }),
  };
}

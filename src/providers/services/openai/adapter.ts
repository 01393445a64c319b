import { sentences } from "#contract/sentences/index.ts";
import type { Adapter, RunContext, RunRequest } from "../../adapter.ts";
import { answerByTask } from "../../wire/answer-by-task.ts";
import { keyOf } from "../../wire/connection.ts";
import { answerChat } from "../openai-compatible/chat.ts";
import { answerEmbedding } from "../openai-compatible/embeddings.ts";
import { checkConnection } from "../openai-compatible/models.ts";
import { answerSpeech } from "../openai-compatible/speech.ts";
import { answerTranscription } from "../openai-compatible/transcription.ts";
import { answerPictures } from "./images.ts";
import { job, openFile, prefersAnswer } from "./jobs.ts";
import { openaiKind } from "./kind.ts";
import { goesByCompletions, listModels } from "./models.ts";
import { answerResponses } from "./responses.ts";

export const openai: Adapter = {
  ...openaiKind,
  check: (context) => checkConnection(context),
  models: listModels,
  async *answer(request, context) {
    keyOf(context);
    yield* answerOpenAi(request, context);
  },
  prefersAnswer,
  job,
  openFile,
};

/** This API uses the newer name of the output limit at any address. */
const answerCompletions = (request: RunRequest, { connection, ...context }: RunContext) =>
  answerChat(forCompletions(request, context), {
    ...context,
    connection: {
      ...connection,
      options: { ...connection.options, outputLimitField: "max_completion_tokens" },
    },
  });

/** Chat completions have no `truncation`. */
export function forCompletions(
  request: RunRequest,
  { warn }: Pick<RunContext, "warn">,
): RunRequest {
  const { truncation, ...passed } = request.passed ?? {};
  if (truncation === undefined) return request;
  const message = sentences.api.parameterDropped({ parameter: "truncation" });
  warn({ type: "unsupported", feature: "truncation", message });
  return { ...request, passed };
}

/** https://platform.openai.com/docs/guides/speech-to-text: whisper-1 doesn't stream. */
const streamsTranscripts = /^gpt-4o(-mini)?-transcribe(?!-diarize)/;

/** @throws ProviderError, or the signal's reason */
export const answerOpenAi = answerByTask({
  chat: (request, context) =>
    goesByCompletions(context, request.model.id)
      ? answerCompletions(request, context)
      : answerResponses(request, context),
  image: answerPictures,
  speech: answerSpeech,
  transcription: (request, context) =>
    answerTranscription(request, context, {}, streamsTranscripts.test(request.model.id)),
  embedding: (request, context) => answerEmbedding(request, context, "base64"),
});

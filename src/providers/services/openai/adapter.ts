import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import {
  type Adapter,
  type AnswerPart,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
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
    if (!context.connection.secret)
      throw new ProviderError("provider_auth", "no", { message: sentences.connections.noKey });
    yield* answerOpenAi(request, context);
  },
  prefersAnswer,
  job,
  openFile,
};

/** This API uses the newer name of the output limit at any address. */
const answerCompletions: Answer = (request, { connection, ...context }) =>
  answerChat(request, {
    ...context,
    connection: {
      ...connection,
      options: { ...connection.options, outputLimitField: "max_completion_tokens" },
    },
  });

type Answer = (request: RunRequest, context: RunContext) => AsyncIterable<AnswerPart>;

const answers: Partial<Record<Task, Answer>> = {
  chat: (request, context) =>
    goesByCompletions(context, request.model.id)
      ? answerCompletions(request, context)
      : answerResponses(request, context),
  image: answerPictures,
  speech: answerSpeech,
  transcription: answerTranscription,
  embedding: answerEmbedding,
};

/** Throws ProviderError, or the signal's reason. */
export function answerOpenAi(request: RunRequest, context: RunContext): AsyncIterable<AnswerPart> {
  const answer = answers[request.task];
  if (!answer)
    throw new ProviderError("provider_invalid_input", "no", {
      message: sentences.connections.taskNotOffered({ task: request.task }),
    });
  return answer(request, context);
}

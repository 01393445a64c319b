import type { Task } from "#contract/tasks.ts";
import type { Adapter, AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { taskNotOffered } from "../../wire/answer-by-task.ts";
import { answerChat } from "./chat.ts";
import { answerEmbedding } from "./embeddings.ts";
import { answerImages } from "./images.ts";
import { openaiCompatibleKind } from "./kind.ts";
import { checkConnection, listModels } from "./models.ts";
import { type OfferedTask, offeredTasks } from "./offered-tasks.ts";
import type { Quirks } from "./quirks.ts";
import { answerSpeech } from "./speech.ts";
import { answerTranscription } from "./transcription.ts";

type Answer = (
  request: RunRequest,
  context: RunContext,
  quirks: Quirks,
) => AsyncIterable<AnswerPart>;

const answers: Record<OfferedTask, Answer> = {
  chat: answerChat,
  image: answerImages,
  speech: answerSpeech,
  transcription: (request, context, quirks) => answerTranscription(request, context, quirks),
  embedding: (request, context) => answerEmbedding(request, context),
};

/**
 * Answers one request of any task.
 * @throws ProviderError, or the signal's reason
 */
export const answerCompatible = (
  request: RunRequest,
  context: RunContext,
  quirks: Quirks = {},
): AsyncIterable<AnswerPart> => answers[offered(request.task)](request, context, quirks);

export const openaiCompatible: Adapter = {
  ...openaiCompatibleKind,
  check: (context) => checkConnection(context),
  models: (context) => listModels(context),
  answer: (request, context) => answerCompatible(request, context),
};

function offered(task: Task): OfferedTask {
  const found = offeredTasks.find((name) => name === task);
  if (!found) throw taskNotOffered(task);
  return found;
}

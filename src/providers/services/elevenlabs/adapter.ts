import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import {
  type Adapter,
  type AnswerPart,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { elevenlabsKind } from "./kind.ts";
import { checkConnection, listModels } from "./models.ts";
import { answerMusic, answerSpeech } from "./sound.ts";
import { answerTranscription } from "./transcription.ts";

export const elevenlabs: Adapter = {
  ...elevenlabsKind,
  check: checkConnection,
  models: listModels,
  answer(request, context) {
    const answer = answers[request.task];
    if (!answer)
      throw new ProviderError("provider_invalid_input", "no", {
        message: sentences.connections.taskNotOffered({ task: request.task }),
      });
    return answer(request, context);
  },
};

const answers: Partial<
  Record<Task, (request: RunRequest, context: RunContext) => AsyncIterable<AnswerPart>>
> = {
  speech: answerSpeech,
  music: answerMusic,
  transcription: answerTranscription,
};

import type { Adapter } from "../../adapter.ts";
import { answerByTask } from "../../wire/answer-by-task.ts";
import { elevenlabsKind } from "./kind.ts";
import { checkConnection, listModels } from "./models.ts";
import { answerMusic, answerSpeech } from "./sound.ts";
import { answerTranscription } from "./transcription.ts";

export const elevenlabs: Adapter = {
  ...elevenlabsKind,
  check: checkConnection,
  models: listModels,
  answer: answerByTask({
    speech: answerSpeech,
    music: answerMusic,
    transcription: answerTranscription,
  }),
};

import type { Adapter } from "../../adapter.ts";
import { answerByTask } from "../../wire/answer-by-task.ts";
import { checkByList } from "../../wire/model-list.ts";
import { answerSpeech, answerTranscription } from "./answers.ts";
import { deepgramKind } from "./kind.ts";
import { listModels } from "./models.ts";

export const deepgram: Adapter = {
  ...deepgramKind,
  check: checkByList(listModels),
  models: listModels,
  answer: answerByTask({ transcription: answerTranscription, speech: answerSpeech }),
};

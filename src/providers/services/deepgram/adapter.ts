import { sentences } from "#contract/sentences/index.ts";
import { type Adapter, ProviderError } from "../../adapter.ts";
import { answerSpeech, answerTranscription } from "./answers.ts";
import { deepgramKind } from "./kind.ts";
import { checkConnection, listModels } from "./models.ts";

export const deepgram: Adapter = {
  ...deepgramKind,
  check: checkConnection,
  models: listModels,
  answer(request, context) {
    if (request.task === "transcription") return answerTranscription(request, context);
    if (request.task === "speech") return answerSpeech(request, context);
    throw new ProviderError("provider_invalid_input", "no", {
      message: sentences.connections.taskNotOffered({ task: request.task }),
    });
  },
};

import type { Adapter, AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { checkByList } from "../../wire/model-list.ts";
import { answerChat } from "./chat.ts";
import { countTokens } from "./count.ts";
import { answerText } from "./embeddings.ts";
import { answerImage } from "./images.ts";
import { bedrockKind } from "./kind.ts";
import { listModels } from "./models.ts";
import { openVideo, video } from "./video.ts";

export const bedrock: Adapter = {
  ...bedrockKind,
  check: checkByList(listModels),
  models: listModels,
  answer: answerByTask,
  countTokens,
  prefersAnswer: (_options, { task }) => task !== "video",
  job: video,
  openFile: openVideo,
};

function answerByTask(request: RunRequest, context: RunContext): AsyncIterable<AnswerPart> {
  if (request.task === "chat") return answerChat(request, context);
  return request.task === "embedding"
    ? answerText(request, context)
    : answerImage(request, context);
}

import type { Adapter, AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { asyncEndpoint } from "./async.ts";
import { answerMessages, answerTgi } from "./chat.ts";
import { checkConnection, endpointOf, listEndpoints } from "./endpoints.ts";
import { sagemakerKind } from "./kind.ts";
import { answerWhole } from "./media.ts";

export const sagemaker: Adapter = {
  ...sagemakerKind,
  check: checkConnection,
  models: listEndpoints,
  answer: answerByTemplate,
  prefersAnswer: (options, { modelId }) => !endpointOf(options, modelId).isAsync,
  job: asyncEndpoint,
};

function answerByTemplate(request: RunRequest, context: RunContext): AsyncIterable<AnswerPart> {
  const { template } = endpointOf(context.connection.options, request.model.id);
  if (template === "messages") return answerMessages(request, context);
  return template === "tgi" ? answerTgi(request, context) : answerWhole(request, context, template);
}

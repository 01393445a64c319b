import type { Adapter, AnswerPart, JobAdapter, RunContext, RunRequest } from "../../adapter.ts";
import { filteredBy, isRecord, resultsOf } from "../../wire/error-fields.ts";
import { answerOpenAi, forCompletions } from "../openai/adapter.ts";
import { job as openAiJob, openFile, prefersAnswer } from "../openai/jobs.ts";
import { goesByCompletions } from "../openai/models.ts";
import { answerResponses } from "../openai/responses.ts";
import { answerChat } from "../openai-compatible/chat.ts";
import { stoppedByFilter } from "../openai-compatible/chat-reader.ts";
import { toOpenAiContext } from "./access.ts";
import { modelOf } from "./deployments.ts";
import { azureKind } from "./kind.ts";
import { checkConnection, listModels } from "./models.ts";

export const azure: Adapter = {
  ...azureKind,
  check: checkConnection,
  models: listModels,
  answer,
  prefersAnswer: (options, run) =>
    prefersAnswer(options, { ...run, modelId: modelOf(options, run.modelId) }),
  job: signedJob(openAiJob),
  openFile: (url, context) => ({
    async *[Symbol.asyncIterator]() {
      yield* openFile(url, await toOpenAiContext(context));
    },
  }),
};

/** @throws ProviderError, or the signal's reason */
async function* answer(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const signed = await toOpenAiContext(context);
  if (request.task !== "chat") yield* answerOpenAi(request, signed);
  else if (goesByCompletions(signed, modelOf(context.connection.options, request.model.id)))
    yield* answerChat(forCompletions(request, signed), signed);
  else yield* answerFiltered(request, signed);
}

/** Turns an answer stopped by Azure's content filter into a refusal that names the reasons. */
async function* answerFiltered(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const filters = new Set<string>();
  const onRaw = (event: unknown): void => {
    const response = isRecord(event) && isRecord(event.response) ? event.response : {};
    const looked: unknown[] = Array.isArray(response.content_filters)
      ? response.content_filters
      : [];
    for (const name of looked.flatMap((filter) => filteredBy(resultsOf(filter)))) filters.add(name);
  };
  for await (const part of answerResponses(request, context, { onRaw })) {
    if (part.type === "finish" && part.reason === "content-filter" && filters.size > 0)
      throw stoppedByFilter(filters);
    yield part;
  }
}

/** Signs each call of the job. */
function signedJob(job: JobAdapter): JobAdapter {
  return {
    submit: async (request, context) => job.submit(request, await toOpenAiContext(context)),
    status: async (handle, context) => job.status(handle, await toOpenAiContext(context)),
    result: async (handle, context) => job.result(handle, await toOpenAiContext(context)),
    cancel: async (handle, context) => job.cancel(handle, await toOpenAiContext(context)),
    handleOf: (id, model, context) => job.handleOf?.(id, model, context),
    ...(job.idField !== undefined && { idField: job.idField }),
  };
}

import type { Adapter, AnswerPart, JobAdapter, RunContext, RunRequest } from "../adapter.ts";
import { filteredBy, isRecord, resultsOf } from "../error-words.ts";
import { answerOpenAi } from "../openai/adapter.ts";
import { job as openAiJob, openFile, prefersAnswer } from "../openai/jobs.ts";
import { goesByCompletions } from "../openai/models.ts";
import { answerResponses } from "../openai/responses.ts";
import { answerChat } from "../openai-compatible/chat.ts";
import { stoppedByFilter } from "../openai-compatible/chat-reader.ts";
import { offeredTasks } from "../openai-compatible/schemas.ts";
import { toOpenAiContext } from "./access.ts";
import { modelOf } from "./deployments.ts";
import { checkConnection, listModels } from "./models.ts";

/** OpenAI's models as a resource of Azure gives them, over its v1 API. Protocol and sources: docs/providers/azure.md. */
export const azure: Adapter = {
  kind: "azure",
  name: "Azure OpenAI",
  summary: "Your own deployments of GPT, pictures, speech and transcripts at Microsoft Azure.",
  docs: "azure.md",
  runsOn: "cloud",
  fields: [
    {
      name: "api",
      label: "Resource address",
      kind: "url",
      required: true,
      address: "api",
      placeholder: "https://my-resource.openai.azure.com",
      hint: "From the portal, under Keys and Endpoint.",
    },
    { name: "signIn", label: "Sign in with", kind: "choice", required: false, choices: ["key", "Entra ID"] },
    {
      name: "key",
      label: "Key",
      kind: "secret",
      required: true,
      hint: "From the portal, under Keys and Endpoint.",
      when: { field: "signIn", is: ["key"] },
    },
    { name: "tenant", label: "Tenant id", kind: "text", required: true, when: { field: "signIn", is: ["Entra ID"] } },
    {
      name: "clientId",
      label: "Client id",
      kind: "text",
      required: true,
      hint: "Of an app registration with the role Cognitive Services OpenAI User on the resource.",
      when: { field: "signIn", is: ["Entra ID"] },
    },
    { name: "clientSecret", label: "Client secret", kind: "secret", required: true, when: { field: "signIn", is: ["Entra ID"] } },
    {
      name: "deployments",
      label: "Deployments",
      kind: "text",
      required: false,
      placeholder: "chat = gpt-5.5, pictures = gpt-image-2, mine = new-model : chat",
      hint: `Each name with its model, and its task (${[...offeredTasks, "video"].join(", ")}) where the model is a new one. Azure lets no key list them.`,
    },
    {
      name: "chatApi",
      label: "Chat goes by",
      kind: "choice",
      required: false,
      advanced: true,
      choices: ["responses", "chat completions"],
      hint: "chat completions for deployments whose region has no Responses.",
    },
    {
      name: "apiVersion",
      label: "API version",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: "preview",
      hint: "Left out for what is generally available; preview for what is not yet.",
    },
    {
      name: "login",
      label: "Sign-in address",
      kind: "url",
      required: false,
      advanced: true,
      address: "login",
      placeholder: "https://login.microsoftonline.com",
      hint: "Another one for national clouds.",
      when: { field: "signIn", is: ["Entra ID"] },
    },
  ],
  addresses: { api: "", login: "https://login.microsoftonline.com" },
  tasks: [...offeredTasks, "video"],
  check: checkConnection,
  models: listModels,
  answer,
  prefersAnswer: (options, run) => prefersAnswer(options, { ...run, modelId: modelOf(options, run.modelId) }),
  job: signedJob(openAiJob),
  openFile: (url, context) => ({
    async *[Symbol.asyncIterator]() {
      yield* openFile(url, await toOpenAiContext(context));
    },
  }),
};

/** Throws ProviderError, or the signal's reason. */
async function* answer(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const signed = await toOpenAiContext(context);
  if (request.task !== "chat") yield* answerOpenAi(request, signed);
  else if (goesByCompletions(signed, modelOf(context.connection.options, request.model.id))) yield* answerChat(request, signed);
  else yield* answerFiltered(request, signed);
}

/** An answer that Azure's content filter stopped ends as a refusal that names what was found. */
async function* answerFiltered(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const filters = new Set<string>();
  const onRaw = (event: unknown): void => {
    const response = isRecord(event) && isRecord(event.response) ? event.response : {};
    const looked: unknown[] = Array.isArray(response.content_filters) ? response.content_filters : [];
    for (const name of looked.flatMap((filter) => filteredBy(resultsOf(filter)))) filters.add(name);
  };
  for await (const part of answerResponses(request, context, { onRaw })) {
    if (part.type === "finish" && part.reason === "content-filter" && filters.size > 0) throw stoppedByFilter(filters);
    yield part;
  }
}

/** The same job, each of its calls signed. */
function signedJob(job: JobAdapter): JobAdapter {
  return {
    submit: async (request, context) => job.submit(request, await toOpenAiContext(context)),
    status: async (handle, context) => job.status(handle, await toOpenAiContext(context)),
    result: async (handle, context) => job.result(handle, await toOpenAiContext(context)),
    cancel: async (handle, context) => job.cancel(handle, await toOpenAiContext(context)),
    handleOf: (id, model, context) => job.handleOf?.(id, model, context),
  };
}

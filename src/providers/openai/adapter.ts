import type { Task } from "#contract/tasks.ts";
import { type Adapter, type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../adapter.ts";
import { answerChat } from "../openai-compatible/chat.ts";
import { answerEmbedding } from "../openai-compatible/embeddings.ts";
import { checkConnection } from "../openai-compatible/models.ts";
import { offeredTasks } from "../openai-compatible/schemas.ts";
import { answerSpeech } from "../openai-compatible/speech.ts";
import { answerTranscription } from "../openai-compatible/transcription.ts";
import { answerPictures } from "./images.ts";
import { job, openFile, prefersAnswer } from "./jobs.ts";
import { goesByCompletions, listModels } from "./models.ts";
import { answerResponses } from "./responses.ts";

/** OpenAI's own API: Responses, and beside it what its kin speak too. */
export const openai: Adapter = {
  kind: "openai",
  name: "OpenAI",
  summary: "GPT with reasoning, tools and web search; pictures, speech, transcripts, embeddings.",
  docs: "openai.md",
  runsOn: "hosted",
  fields: [
    { name: "key", label: "API key", kind: "secret", required: true, hint: "From platform.openai.com, under API keys." },
    {
      name: "api",
      label: "Base URL",
      kind: "url",
      required: false,
      address: "api",
      advanced: true,
      placeholder: "https://api.openai.com/v1",
    },
    {
      name: "chatApi",
      label: "Chat goes by",
      kind: "choice",
      required: false,
      advanced: true,
      choices: ["responses", "chat completions"],
      hint: "responses: with reasoning summaries, web search and background runs. chat completions: the older way, with stop words and seed.",
    },
    {
      name: "models",
      label: "Further models",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: '[{"id": "ft:gpt-4.1:me", "task": "chat"}]',
      hint: `A JSON list of id and task (${offeredTasks.join(", ")}), for models that the list does not name or whose task is not known.`,
    },
  ],
  addresses: { api: "https://api.openai.com/v1" },
  environmentKeys: ["OPENAI_API_KEY"],
  tasks: [...offeredTasks, "video"],
  check: (context) => checkConnection(context),
  models: listModels,
  answer: answerOpenAi,
  prefersAnswer,
  job,
  openFile,
  // Videos can be fetched for so long (https://platform.openai.com/docs/guides/video-generation).
  outputLifetimeMs: 60 * 60_000,
};

/** Wherever it stands, this API knows the output limit by its newer name. */
const answerCompletions: Answer = (request, { connection, ...context }) =>
  answerChat(request, {
    ...context,
    connection: { ...connection, options: { ...connection.options, outputLimitField: "max_completion_tokens" } },
  });

type Answer = (request: RunRequest, context: RunContext) => AsyncIterable<AnswerPart>;

const answers: Partial<Record<Task, Answer>> = {
  chat: (request, context) =>
    goesByCompletions(context, request.model.id) ? answerCompletions(request, context) : answerResponses(request, context),
  image: answerPictures,
  speech: answerSpeech,
  transcription: answerTranscription,
  embedding: answerEmbedding,
};

/** Throws ProviderError, or the signal's reason. */
export function answerOpenAi(request: RunRequest, context: RunContext): AsyncIterable<AnswerPart> {
  const answer = answers[request.task];
  if (!answer)
    throw new ProviderError("provider_invalid_input", "no", { message: `This kind of connection does not do "${request.task}".` });
  return answer(request, context);
}

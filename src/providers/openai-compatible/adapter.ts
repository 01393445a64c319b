import type { Task } from "#contract/tasks.ts";
import { type Adapter, type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../adapter.ts";
import { answerChat } from "./chat.ts";
import { answerEmbedding } from "./embeddings.ts";
import { answerImages } from "./images.ts";
import { checkConnection, listModels } from "./models.ts";
import type { Quirks } from "./quirks.ts";
import { type OfferedTask, offeredTasks } from "./schemas.ts";
import { answerSpeech } from "./speech.ts";
import { answerTranscription } from "./transcription.ts";

type Answer = (request: RunRequest, context: RunContext, quirks: Quirks) => AsyncIterable<AnswerPart>;

const answers: Record<OfferedTask, Answer> = {
  chat: answerChat,
  image: answerImages,
  speech: answerSpeech,
  transcription: answerTranscription,
  embedding: answerEmbedding,
};

/** One answer of any task. Throws ProviderError, or the signal's reason. */
export const answerCompatible = (request: RunRequest, context: RunContext, quirks: Quirks = {}): AsyncIterable<AnswerPart> =>
  answers[offered(request.task)](request, context, quirks);

/** Every server that speaks OpenAI's HTTP API: OpenRouter, vLLM, llama.cpp, LM Studio, LocalAI, gateways. */
export const openaiCompatible: Adapter = {
  kind: "openai-compatible",
  name: "OpenAI-compatible",
  summary: "Every other server with OpenAI's API.",
  docs: "openai-compatible.md",
  fields: [
    {
      name: "api",
      label: "Base URL",
      kind: "url",
      required: true,
      address: "api",
      placeholder: "https://api.openai.com/v1",
      hint: "The address before /chat/completions; it often ends in /v1.",
    },
    { name: "key", label: "API key", kind: "secret", required: false, hint: "Left empty for a local server that asks for none." },
    {
      name: "outputLimitField",
      label: "Name of the output limit",
      kind: "choice",
      required: false,
      advanced: true,
      choices: ["max_tokens", "max_completion_tokens"],
      hint: "Left open, OpenAI's own address gets max_completion_tokens and every other one max_tokens.",
    },
    {
      name: "models",
      label: "Further models",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: '[{"id": "tts-1", "task": "speech"}]',
      hint: `A JSON list of id and task (${offeredTasks.join(", ")}), for models that the server does not list or whose task it does not say.`,
    },
  ],
  addresses: { api: "https://api.openai.com/v1" },
  tasks: offeredTasks,
  check: (context) => checkConnection(context),
  models: (context) => listModels(context),
  answer: (request, context) => answerCompatible(request, context),
};

function offered(task: Task): OfferedTask {
  const found = offeredTasks.find((name) => name === task);
  if (!found) throw new ProviderError("provider_invalid_input", "no", { message: `This kind of connection does not do "${task}".` });
  return found;
}

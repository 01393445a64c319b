import type { Task } from "#contract/tasks.ts";
import { type Adapter, type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../adapter.ts";
import { answerChat } from "./chat.ts";
import { answerEmbedding } from "./embeddings.ts";
import { answerImages } from "./images.ts";
import { checkConnection, listModels } from "./models.ts";
import { type OfferedTask, offeredTasks } from "./schemas.ts";
import { answerSpeech } from "./speech.ts";
import { answerTranscription } from "./transcription.ts";

const answers: Record<OfferedTask, (request: RunRequest, context: RunContext) => AsyncIterable<AnswerPart>> = {
  chat: answerChat,
  image: answerImages,
  speech: answerSpeech,
  transcription: answerTranscription,
  embedding: answerEmbedding,
};

/** Every server that speaks OpenAI's HTTP API: OpenRouter, vLLM, llama.cpp, LM Studio, LocalAI, gateways. */
export const openaiCompatible: Adapter = {
  kind: "openai-compatible",
  name: "OpenAI-compatible",
  summary: "OpenAI, OpenRouter, vLLM, llama.cpp, LM Studio and every server with the same API.",
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
  check: checkConnection,
  models: listModels,
  answer: (request, context) => answers[offered(request.task)](request, context),
};

function offered(task: Task): OfferedTask {
  const found = offeredTasks.find((name) => name === task);
  if (!found) throw new ProviderError("provider_invalid_input", "no", { message: `This kind of connection does not do "${task}".` });
  return found;
}

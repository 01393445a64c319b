import type { ConnectionKind } from "../../adapter.ts";
import { serverParameters } from "../../wire/passed-parameters.ts";
import { offeredTasks } from "./offered-tasks.ts";

/**
 * Every server with OpenAI's HTTP API: OpenRouter, vLLM, llama.cpp, LM Studio, LocalAI, gateways.
 */
export const openaiCompatibleKind: ConnectionKind = {
  kind: "openai-compatible",
  name: "OpenAI-compatible",
  summary: "Any other server with OpenAI’s API.",
  group: "own",
  docs: "openai-compatible.md",
  fields: [
    {
      name: "api",
      label: "Base URL",
      kind: "url",
      required: true,
      address: "api",
      placeholder: "https://api.openai.com/v1",
      hint: "The address before /chat/completions. It often ends in /v1.",
    },
    {
      name: "key",
      label: "API key",
      kind: "secret",
      required: false,
      hint: "Empty for a local server without a key.",
    },
    {
      name: "outputLimitField",
      label: "Output limit parameter",
      kind: "choice",
      required: false,
      advanced: true,
      choices: ["max_tokens", "max_completion_tokens"],
      hint: "Empty: OpenAI’s address gets max_completion_tokens, any other max_tokens.",
    },
    {
      name: "models",
      label: "More models",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: '[{"id": "tts-1", "task": "speech"}]',
      hint: `A JSON list of id and task (${offeredTasks.join(", ")}), for models that the server does not list or does not describe.`,
    },
  ],
  addresses: { api: "https://api.openai.com/v1" },
  tasks: offeredTasks,
  takesTasks: true,
  passes: serverParameters,
  embeds: { most: 256, tokens: true },
};

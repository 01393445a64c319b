import type { ConnectionKind } from "../../adapter.ts";
import { offeredTasks } from "../openai-compatible/offered-tasks.ts";

/** OpenAI's own API: Responses, and the endpoints that compatible services share. */
export const openaiKind: ConnectionKind = {
  kind: "openai",
  name: "OpenAI",
  summary: "GPT with reasoning, tools and web search. Pictures, speech, transcripts, embeddings.",
  docs: "openai.md",
  runsOn: "hosted",
  fields: [
    {
      name: "key",
      label: "API key",
      kind: "secret",
      required: true,
      hint: "From platform.openai.com, under API keys.",
    },
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
      hint: `A JSON list of id and task (${offeredTasks.join(", ")}), for models that are not listed or whose task is unknown.`,
    },
  ],
  addresses: { api: "https://api.openai.com/v1" },
  environmentKeys: ["OPENAI_API_KEY"],
  tasks: [...offeredTasks, "video"],
  searchesMost: 3,
  // Videos can be fetched for so long (https://platform.openai.com/docs/guides/video-generation).
  outputLifetimeMs: 60 * 60_000,
  jobLifetimeMs: 60 * 60_000,
};

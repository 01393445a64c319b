import { hostedKind } from "../../wire/kind-fields.ts";
import { logprobParameters, openaiParameters } from "../../wire/passed-parameters.ts";
import { offeredTasks } from "../openai-compatible/offered-tasks.ts";

/** OpenAI's own API: Responses, and the endpoints shared with compatible services. */
export const openaiKind = hostedKind({
  kind: "openai",
  name: "OpenAI",
  summary: "GPT with reasoning, tools and web search. Pictures, speech, transcripts, embeddings.",
  group: "language",
  runsOn: "hosted",
  keyHint: "From platform.openai.com, under API keys.",
  api: "https://api.openai.com/v1",
  more: [
    {
      name: "chatApi",
      label: "Chat API",
      kind: "choice",
      required: false,
      advanced: true,
      choices: ["responses", "chat completions"],
      hint: "responses: with reasoning summaries, web search and background runs. chat completions: the older API, with stop words and seed.",
    },
    {
      name: "models",
      label: "More models",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: '[{"id": "ft:gpt-4.1:me", "task": "chat"}]',
      hint: `A JSON list of id and task (${offeredTasks.join(", ")}), for models that are not listed or whose task is unknown.`,
    },
  ],
  environmentKeys: ["OPENAI_API_KEY"],
  tasks: [...offeredTasks, "video"],
  passes: openaiParameters,
  refusesInReasoning: logprobParameters,
  // https://platform.openai.com/docs/api-reference/embeddings/create
  embeds: { most: 2_048, tokens: true },
  toolUsesMost: 3,
  // How long videos can be downloaded (https://platform.openai.com/docs/guides/video-generation).
  outputLifetimeMs: 60 * 60_000,
  jobLifetimeMs: 60 * 60_000,
});

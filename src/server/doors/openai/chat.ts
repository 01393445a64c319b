import type { MessagePart } from "#contract/entities.ts";
import { type ChatBody, notUsed } from "#contract/schemas/openai.ts";
import type { FinishReason, ToolCall } from "#engine/plan/turns.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { ServerDeps } from "../../deps.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import { partsKeptBy } from "../../live/run-events.ts";
import { anyObject, askModel, findChatModel, schemaOf } from "./ask.ts";
import {
  type Asking,
  aside,
  endOf,
  followToAnswer,
  headersOf,
  successOf,
  unusedOf,
  usageOf,
} from "./follow.ts";
import { answerGone, streamOf } from "./stream.ts";
import { turnsOfMessages } from "./turns.ts";

/** POST /v1/chat/completions (OpenAI API reference, "Chat completions"). */
export async function createChatCompletion(
  deps: ServerDeps,
  asking: Asking,
  body: ChatBody,
): Promise<Response> {
  const model = await findChatModel(deps, asking, body.model);
  const { tool_choice: choice, response_format: format } = body;
  const run = await askModel(deps, asking, model, {
    model: body.model,
    turns: await turnsOfMessages(deps, asking, body.messages),
    settings: [
      {
        ours: "maxOutputTokens",
        theirs: "max_tokens",
        value: body.max_completion_tokens ?? body.max_tokens,
      },
      { ours: "temperature", theirs: "temperature", value: body.temperature },
      { ours: "topP", theirs: "top_p", value: body.top_p },
      {
        ours: "stop",
        theirs: "stop",
        value: typeof body.stop === "string" ? [body.stop] : body.stop,
      },
      { ours: "seed", theirs: "seed", value: body.seed },
      { ours: "reasoningEffort", theirs: "reasoning_effort", value: body.reasoning_effort },
    ],
    tools: body.tools?.map(({ function: { name, description, parameters } }) => ({
      name,
      description: description ?? "",
      inputSchema: schemaOf(parameters),
    })),
    toolChoice:
      typeof choice === "object" && choice ? { name: choice.function.name } : (choice ?? undefined),
    answerShape:
      format?.type === "json_schema"
        ? { name: format.json_schema.name, schema: format.json_schema.schema }
        : format?.type === "json_object"
          ? anyObject
          : undefined,
    request: body,
  });
  const unused = unusedOf(body, notUsed);
  if (body.stream) return streamOf(deps, asking, run.id, chunksOf(deps, asking, body, run, unused));
  const ended = await endOf(deps, asking, run.id);
  if (!ended) return answerGone;
  return asking.c.json(completionOf(body, ended, unused), 200, headersOf(run.id));
}

const idOf = (runId: string): string => `chatcmpl-${runId}`;
const reasons: Record<FinishReason, string> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  other: "stop",
};

/** What an answer said, asked for and cost, from the run that keeps it. */
export function answerOf(run: OwnedRun) {
  const parts = partsKeptBy(run);
  const words = (type: "text" | "reasoning") =>
    parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
  const { toolCalls = [], finishReason = "stop" } = (run.result ?? {}) as {
    toolCalls?: ToolCall[];
    finishReason?: FinishReason;
  };
  return { text: words("text"), reasoning: words("reasoning"), toolCalls, finishReason };
}

const toToolCalls = (calls: readonly ToolCall[]) =>
  calls.map(({ callId, name, input, malformed }) => ({
    id: callId,
    type: "function" as const,
    function: { name, arguments: malformed ?? JSON.stringify(input) },
  }));

function toUsage(run: OwnedRun) {
  const used = usageOf(run);
  return {
    prompt_tokens: used.inputTokens,
    completion_tokens: used.outputTokens,
    total_tokens: used.total,
    prompt_tokens_details: { cached_tokens: used.cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: used.reasoningTokens },
  };
}

function completionOf(body: ChatBody, run: OwnedRun, unused: readonly string[]) {
  const { text, reasoning, toolCalls, finishReason } = answerOf(run);
  const message = {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toToolCalls(toolCalls) }),
  };
  return {
    id: idOf(run.id),
    object: "chat.completion",
    created: Math.floor(run.createdAt / 1000),
    model: body.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reasons[finishReason] }],
    usage: toUsage(run),
    bottega: aside(run, unused),
  };
}

/** The answer as it comes, chunk by chunk, then what it used, where that was asked for, and [DONE]. */
async function* chunksOf(
  deps: ServerDeps,
  asking: Asking,
  body: ChatBody,
  run: { id: string; createdAt: number },
  unused: readonly string[],
): AsyncGenerator<StreamedEvent> {
  const head = {
    id: idOf(run.id),
    object: "chat.completion.chunk",
    created: Math.floor(run.createdAt / 1000),
    model: body.model,
  };
  const withUsage = body.stream_options?.include_usage === true;
  const chunk = (choices: object[], rest: object = {}): StreamedEvent => ({
    payload: { ...head, choices, ...(withUsage && { usage: null }), ...rest },
  });
  let hasBegun = false;
  const delta = (given: object): StreamedEvent => {
    const first = hasBegun ? {} : { role: "assistant" };
    hasBegun = true;
    return chunk([
      { index: 0, delta: { ...first, ...given }, logprobs: null, finish_reason: null },
    ]);
  };
  for await (const event of followToAnswer(deps, asking, run.id))
    for (const { type, text } of saidIn(event))
      yield delta(type === "text" ? { content: text } : { reasoning_content: text });
  const ended = await successOf(deps, run.id);
  const { toolCalls, finishReason } = answerOf(ended);
  if (toolCalls.length > 0)
    yield delta({ tool_calls: toToolCalls(toolCalls).map((call, index) => ({ index, ...call })) });
  if (!hasBegun) yield delta({ content: "" });
  yield chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: reasons[finishReason] }], {
    bottega: aside(ended, unused),
  });
  if (withUsage) yield chunk([], { usage: toUsage(ended) });
  yield { raw: "[DONE]" };
}

type Said = { type: "text" | "reasoning"; text: string };

/** The words that an event of a run brings; of a run that has ended long ago, all at once. */
export function saidIn(event: StreamedEvent): readonly Said[] {
  const { text, parts = [] } = ("payload" in event ? event.payload : {}) as {
    text?: string;
    parts?: MessagePart[];
  };
  if (event.type === "text-delta" && text) return [{ type: "text", text }];
  if (event.type === "reasoning-delta" && text) return [{ type: "reasoning", text }];
  if (event.type !== "snapshot") return [];
  return parts.flatMap((part) =>
    part.type === "text" || part.type === "reasoning" ? [{ type: part.type, text: part.text }] : [],
  );
}

import type { MessagePart } from "#contract/entities.ts";
import {
  type ChatBody,
  chatParameters,
  furtherParameters,
  notUsed,
} from "#contract/schemas/doors/openai.ts";
import type { FinishReason, ToolCall } from "#engine/plan/turns.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { ServerDeps } from "../../deps.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import { partsKeptBy } from "../../live/run-events.ts";
import { anyObject, askModel, findChatModel } from "../programs/ask.ts";
import { callIdOf, writtenInput } from "../programs/earlier-answers.ts";
import {
  type Asking,
  aside,
  endOf,
  followToAnswer,
  headersOf,
  successOf,
  type Unmet,
  unusedOf,
  usageOf,
} from "../programs/follow.ts";
import { answerGone, streamOf } from "../programs/stream.ts";
import { onProblem } from "./errors.ts";
import { toDefinition } from "./tools.ts";
import { turnsOfMessages } from "./turns.ts";

/** POST /v1/chat/completions (OpenAI API reference, "Chat completions"). */
export async function createChatCompletion(
  deps: ServerDeps,
  asking: Asking,
  body: ChatBody,
): Promise<Response> {
  const model = await findChatModel(deps, asking, body.model);
  const { tool_choice: choice, response_format: format } = body;
  const { run, dropped } = await askModel(deps, asking, model, {
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
        isNeeded: true,
      },
      { ours: "seed", theirs: "seed", value: body.seed },
      { ours: "reasoningEffort", theirs: "reasoning_effort", value: body.reasoning_effort },
    ],
    further: furtherParameters(body, chatParameters),
    tools: body.tools?.map((tool) => toDefinition(tool.function)),
    toolChoice:
      typeof choice === "object" && choice ? { name: choice.function.name } : (choice ?? undefined),
    answerShape:
      format?.type === "json_schema"
        ? shapeOf(format.json_schema)
        : format?.type === "json_object"
          ? anyObject
          : undefined,
    request: body,
  });
  const unmet = { unused: unusedOf(body, notUsed), dropped };
  const headers = headersOf(run.id, dropped);
  if (body.stream)
    return streamOf(deps, asking, chunksOf(deps, asking, body, run, unmet), {
      headers,
      onProblem,
    });
  const ended = await endOf(deps, asking, run.id);
  if (!ended) return answerGone;
  return asking.c.json(completionOf(body, ended, unmet), 200, headers);
}

/** The client says whether its schema is held strictly. Where it does not, it is. */
export const shapeOf = ({
  name,
  schema,
  strict,
}: {
  name: string;
  schema: Record<string, unknown>;
  strict?: boolean | null | undefined;
}) => ({ name, schema, ...(typeof strict === "boolean" && { strict }) });

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

const toToolCalls = (runId: string, calls: readonly ToolCall[]) =>
  calls.map((call, place) => ({
    id: callIdOf(runId, place),
    type: "function" as const,
    function: { name: call.name, arguments: writtenInput(call) },
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

function completionOf(body: ChatBody, run: OwnedRun, unmet: Unmet) {
  const { text, reasoning, toolCalls, finishReason } = answerOf(run);
  const message = {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toToolCalls(run.id, toolCalls) }),
  };
  return {
    id: idOf(run.id),
    object: "chat.completion",
    created: Math.floor(run.createdAt / 1000),
    model: body.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reasons[finishReason] }],
    usage: toUsage(run),
    bottega: aside(run, unmet),
  };
}

/** The answer as it comes, chunk by chunk, then what it used, where that was asked for, and [DONE]. */
async function* chunksOf(
  deps: ServerDeps,
  asking: Asking,
  body: ChatBody,
  run: { id: string; createdAt: number },
  unmet: Unmet,
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
    yield delta({
      tool_calls: toToolCalls(run.id, toolCalls).map((call, index) => ({ index, ...call })),
    });
  if (!hasBegun) yield delta({ content: "" });
  yield chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: reasons[finishReason] }], {
    bottega: aside(ended, unmet),
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

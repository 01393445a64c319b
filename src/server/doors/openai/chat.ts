import type { MessagePart, Run } from "#contract/entities.ts";
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
import { anyObject, askForAnswers, type ChatAsk, findChatModel } from "../programs/ask.ts";
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
import { together } from "../programs/together.ts";
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
  const wanted = {
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
  } satisfies ChatAsk;
  const { runs, dropped } = await askForAnswers(deps, asking, model, wanted, body.n ?? 1);
  const unmet = { unused: unusedOf(body, notUsed), dropped };
  const headers = headersOf(runs[0]?.id ?? "", dropped);
  if (body.stream)
    return streamOf(deps, asking, chunksOf(deps, asking, body, runs, unmet), {
      headers,
      onProblem,
    });
  const ends = await Promise.allSettled(runs.map(({ id }) => endOf(deps, asking, id)));
  if (asking.gone.aborted) return answerGone;
  const ended = ends.flatMap((end, index) =>
    end.status === "fulfilled" && end.value ? [{ index, run: end.value }] : [],
  );
  // What is paid is answered: one that failed is missing by its index.
  const failed = ends.find((end) => end.status === "rejected");
  if (ended.length === 0 && failed) throw failed.reason;
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
  const {
    toolCalls = [],
    finishReason = "stop",
    logprobs,
  } = (run.result ?? {}) as {
    toolCalls?: ToolCall[];
    finishReason?: FinishReason;
    logprobs?: object[];
  };
  return {
    text: words("text"),
    reasoning: words("reasoning"),
    toolCalls,
    finishReason,
    /** Of each token, in OpenAI's form. */
    logprobs: logprobs ? { content: logprobs, refusal: null } : null,
  };
}

const toToolCalls = (runId: string, calls: readonly ToolCall[]) =>
  calls.map((call, place) => ({
    id: callIdOf(runId, place),
    type: "function" as const,
    function: { name: call.name, arguments: writtenInput(call) },
  }));

/** Of all answers together; null where their service counts nothing. */
function toUsage(runs: readonly OwnedRun[]) {
  const used = runs.map(usageOf);
  if (!used.some(({ isCounted }) => isCounted)) return null;
  const sum = (count: (one: (typeof used)[number]) => number): number =>
    used.reduce((total, one) => total + count(one), 0);
  return {
    prompt_tokens: sum((one) => one.inputTokens),
    completion_tokens: sum((one) => one.outputTokens),
    total_tokens: sum((one) => one.total),
    prompt_tokens_details: { cached_tokens: sum((one) => one.cachedInputTokens) },
    completion_tokens_details: { reasoning_tokens: sum((one) => one.reasoningTokens) },
  };
}

/** One answer's run, and its place among those that were asked for. */
type Ended = { index: number; run: OwnedRun };

function choiceOf({ index, run }: Ended) {
  const { text, reasoning, toolCalls, finishReason, logprobs } = answerOf(run);
  const message = {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toToolCalls(run.id, toolCalls) }),
  };
  return { index, message, logprobs, finish_reason: reasons[finishReason] };
}

/** The field that OpenAI's API does not have: of several answers, each run with its own. */
const asidesOf = ([first, ...more]: readonly Ended[], unmet: Unmet) => ({
  ...(first && aside(first.run, unmet)),
  ...(more.length > 0 && {
    further: more.map(({ index, run }) => ({ index, ...aside(run) })),
  }),
});

function completionOf(body: ChatBody, ended: readonly Ended[], unmet: Unmet) {
  const { id, createdAt } = ended[0]!.run;
  return {
    id: idOf(id),
    object: "chat.completion",
    created: Math.floor(createdAt / 1000),
    model: body.model,
    choices: ended.map(choiceOf),
    usage: toUsage(ended.map(({ run }) => run)),
    bottega: asidesOf(ended, unmet),
  };
}

/** The answers as they come, chunk by chunk, then what they used, where that was asked for, and [DONE]. */
async function* chunksOf(
  deps: ServerDeps,
  asking: Asking,
  body: ChatBody,
  runs: readonly Run[],
  unmet: Unmet,
): AsyncGenerator<StreamedEvent> {
  const head = {
    id: idOf(runs[0]!.id),
    object: "chat.completion.chunk",
    created: Math.floor(runs[0]!.createdAt / 1000),
    model: body.model,
  };
  const withUsage = body.stream_options?.include_usage === true;
  const chunk = (choices: object[], rest: object = {}): StreamedEvent => ({
    payload: { ...head, choices, ...(withUsage && { usage: null }), ...rest },
  });
  const ended: OwnedRun[] = [];
  async function* answer({ id }: Run, index: number): AsyncGenerator<StreamedEvent> {
    let hasBegun = false;
    const delta = (given: object, logprobs: object | null = null): StreamedEvent => {
      const first = hasBegun ? {} : { role: "assistant" };
      hasBegun = true;
      return chunk([{ index, delta: { ...first, ...given }, logprobs, finish_reason: null }]);
    };
    for await (const event of followToAnswer(deps, asking, id))
      for (const { type, text } of saidIn(event))
        yield delta(type === "text" ? { content: text } : { reasoning_content: text });
    const run = await successOf(deps, id);
    ended.push(run);
    const { toolCalls, finishReason, logprobs } = answerOf(run);
    // They are known with the end: a client adds them up, whichever chunk they come with.
    if (logprobs) yield delta({}, logprobs);
    if (toolCalls.length > 0)
      yield delta({
        tool_calls: toToolCalls(id, toolCalls).map((call, at) => ({ index: at, ...call })),
      });
    if (!hasBegun) yield delta({ content: "" });
    yield chunk([{ index, delta: {}, logprobs: null, finish_reason: reasons[finishReason] }], {
      bottega: aside(run, unmet),
    });
  }
  yield* together(runs.map(answer));
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

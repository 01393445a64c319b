import { randomUUID } from "node:crypto";
import { sentences } from "#contract/sentences/index.ts";
import {
  type AnswerPart,
  type FinishReason,
  ProviderError,
  type RunContext,
  type RunRequest,
  type Usage,
} from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { toToolCall } from "../../wire/tool-call.ts";
import { stream } from "./call.ts";
import { toMessages } from "./messages.ts";
import { toOptions } from "./settings.ts";

const reasons: Readonly<Record<string, FinishReason>> = { stop: "stop", length: "length" };

/**
 * By default Ollama silently drops the oldest messages when they don't fit, and while it writes.
 * With these options, it refuses with 400 before its first word, and ends an answer that fills the
 * context with "length" (api/types.go, ChatRequest: Truncate, Shift; 0.12.6 and later).
 */
const neverSilently = { truncate: false, shift: false };

/**
 * Streams /api/chat: thinking, text, tool calls (each complete on its own line), and the counts of
 * the last line, without which the answer was interrupted.
 */
export async function* answerChat(
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const messages = await toMessages(request.turns, request.model.capabilities, context);
  const settings = toOptions(request, context);
  const json = {
    model: request.model.id,
    messages,
    stream: true,
    ...neverSilently,
    ...settings,
    ...toolFields(request, context),
  };
  const calls: AnswerPart[] = [];
  for await (const line of stream(context, { path: "chat", json })) {
    const { message } = line;
    if (isRecord(message)) {
      if (typeof message.thinking === "string" && message.thinking !== "")
        yield { type: "reasoning", text: message.thinking };
      if (typeof message.content === "string" && message.content !== "")
        yield { type: "text", text: message.content };
      for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : [])
        if (isRecord(call)) {
          const { name, text } = readCall(call);
          yield { type: "tool-call-piece", place: calls.length, name, text };
          calls.push(toCall(call));
        }
    }
    if (line.done !== true) continue;
    const usage = toUsage(line);
    warnIfCut(usage, settings.options, context);
    yield* calls;
    const reason = reasons[String(line.done_reason)] ?? "other";
    // It reports "stop" for an answer with tool calls.
    yield {
      type: "finish",
      reason: calls.length > 0 && reason === "stop" ? "tool-calls" : reason,
      usage,
    };
    return;
  }
  throw new ProviderError("provider_interrupted", "yes", {
    message: sentences.answers.ollamaCutOff,
  });
}

/** Ollama has no tool choice, so a required tool is offered alone. */
function toolFields(
  { tools = [], toolChoice, answerShape }: RunRequest,
  context: RunContext,
): { [field: string]: unknown } {
  const offered = tools.filter(
    ({ name }) =>
      toolChoice !== "none" && (typeof toolChoice !== "object" || toolChoice.name === name),
  );
  if (offered.length > 0 && (toolChoice === "required" || typeof toolChoice === "object")) {
    const message = sentences.settings.toolNotForced;
    context.warn({ type: "changed", feature: "toolChoice", message });
  }
  return {
    ...(offered.length > 0 && {
      tools: offered.map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name, description, parameters: inputSchema },
      })),
    }),
    ...(answerShape && { format: answerShape.schema }),
  };
}

/** `{id, function: {name, arguments}}`; older servers send no id. */
function readCall({ function: told }: { [key: string]: unknown }) {
  const { name, arguments: input } = isRecord(told) ? told : {};
  return {
    name: String(name),
    text: typeof input === "string" ? input : JSON.stringify(input ?? {}),
  };
}

function toCall(call: { [key: string]: unknown }): AnswerPart {
  const { id } = call;
  const { name, text } = readCall(call);
  const callId =
    typeof id === "string" && id ? id : `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
  return toToolCall(callId, name, text);
}

/**
 * A prompt still in memory from the last turn isn't counted again, and then the count is missing.
 */
function toUsage(line: { [key: string]: unknown }): Usage {
  const { prompt_eval_count: inputTokens, eval_count: outputTokens } = line;
  return {
    ...(typeof inputTokens === "number" && { inputTokens }),
    ...(typeof outputTokens === "number" && { outputTokens }),
  };
}

/**
 * An Ollama before 0.12.6 drops the oldest messages anyway; its count then equals the whole
 * context.
 */
function warnIfCut(usage: Usage, options: unknown, context: RunContext): void {
  const contextTokens = isRecord(options) ? options.num_ctx : undefined;
  if (typeof contextTokens !== "number" || (usage.inputTokens ?? 0) < contextTokens) return;
  const message = sentences.settings.contextFilled({ tokens: contextTokens });
  context.warn({ type: "note", feature: "contextTokens", message });
}

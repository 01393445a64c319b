import { type AnswerPart, type FinishReason, ProviderError, type RunContext, type RunRequest, type Usage } from "../adapter.ts";
import { isRecord } from "../error-words.ts";
import { stream } from "./call.ts";
import { toMessages } from "./messages.ts";
import { toOptions } from "./settings.ts";

const reasons: Readonly<Record<string, FinishReason>> = { stop: "stop", length: "length" };

/** /api/chat as it streams: thinking, words, and the counts of its last line. Without that line the answer was interrupted. */
export async function* answerChat(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const messages = await toMessages(request.turns, request.model.capabilities, context);
  const settings = toOptions(request, context);
  const json = { model: request.model.id, messages, stream: true, ...settings };
  for await (const line of stream(context, { path: "chat", json })) {
    const { message } = line;
    if (isRecord(message)) {
      if (typeof message.thinking === "string" && message.thinking !== "") yield { type: "reasoning", text: message.thinking };
      if (typeof message.content === "string" && message.content !== "") yield { type: "text", text: message.content };
    }
    if (line.done !== true) continue;
    const usage = toUsage(line);
    warnIfCut(usage, settings.options, context);
    yield { type: "finish", reason: reasons[String(line.done_reason)] ?? "other", usage };
    return;
  }
  throw new ProviderError("provider_interrupted", "yes", { message: "Ollama's answer ended without its last line." });
}

/** A prompt that was in memory from the last turn is not counted again, and then the count is missing. */
function toUsage(line: { [key: string]: unknown }): Usage {
  const { prompt_eval_count: inputTokens, eval_count: outputTokens } = line;
  return {
    ...(typeof inputTokens === "number" && { inputTokens }),
    ...(typeof outputTokens === "number" && { outputTokens }),
  };
}

/** Ollama drops the oldest messages when they don't fit, and says nothing. */
function warnIfCut(usage: Usage, options: unknown, context: RunContext): void {
  const contextTokens = isRecord(options) ? options.num_ctx : undefined;
  if (typeof contextTokens !== "number" || (usage.inputTokens ?? 0) < contextTokens) return;
  const message = `The conversation fills the context of ${contextTokens} tokens; its beginning may have been forgotten.`;
  context.warn({ type: "note", feature: "contextTokens", message });
}

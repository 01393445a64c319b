import type { Behaviour } from "../kit/behaviour.ts";
import { type AnswerWire, wordsOf } from "../kit/chat-stream.ts";
import { isRecord } from "./fields.ts";
import type { OllamaModel } from "./models.ts";

type Body = Record<string, unknown>;

/** The person's last message. */
export function promptOf(body: Body): string {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  return String(messages.findLast((message) => message.role === "user")?.content ?? "");
}

/** Refuses tasks that the model can't do, in Ollama's words. */
export function refuseChat(body: Body, model: OllamaModel): string | null {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  const can = (capability: string) =>
    model.capabilities?.includes(capability) ?? capability === "completion";
  if (!can("completion")) return `"${model.name}" does not support chat`;
  if (body.think !== undefined && !can("thinking"))
    return `"${model.name}" does not support thinking`;
  if (body.tools !== undefined && !can("tools"))
    return `registry.ollama.ai/library/${model.name} does not support tools`;
  if (typeof body.think === "string" && !model.thinking?.values.includes(body.think))
    return `think value "${body.think}" is not supported`;
  if (messages.some((message) => message.images) && !can("vision"))
    return `"${model.name}" does not support image input`;
  return null;
}

/** /api/chat as NDJSON: one line per piece, with the counts in the last. */
export function chatWire(
  body: Body,
  model: OllamaModel,
  behaviour: Behaviour,
  hasLongLine: boolean,
): { wire: AnswerWire; words: string[] } {
  const thinks = model.capabilities?.includes("thinking") && body.think !== false;
  const thoughts = behaviour.reasoning ?? (thinks ? ["Let me ", "think. "] : []);
  // A thinking model does so by default.
  behaviour.reasoning = thoughts;
  const all = wordsOf(behaviour, promptOf(body));
  const words = all.slice(0, mostTokens(body));
  const wasCut = words.length < all.length;
  let sent = 0;
  const line = (message: Body, more: Body = { done: false }) =>
    `${JSON.stringify({ model: model.name, created_at: "2026-10-01T10:00:00Z", message: { role: "assistant", ...message }, ...more })}\n`;
  const wire: AnswerWire = {
    contentType: "application/x-ndjson",
    start: () => [],
    reasoning: (thinking) => [line({ content: "", thinking })],
    word(content) {
      sent++;
      return [
        hasLongLine && sent === 3
          ? `{"message":{"content":"${"x".repeat(40 * 1024 * 1024)}`
          : line({ content }),
      ];
    },
    // Each complete, on a line of its own.
    toolCalls: (calls) =>
      calls.map(({ name, input }, index) =>
        line({
          content: "",
          tool_calls: [{ id: `call_${index}`, function: { index, name, arguments: input } }],
        }),
      ),
    finish: () => [
      line(
        { content: "" },
        {
          done: true,
          done_reason: behaviour.finishReason ?? (wasCut ? "length" : "stop"),
          prompt_eval_count: promptTokens(body),
          eval_count: thoughts.length + sent,
          total_duration: 5e9,
          load_duration: 1e9,
        },
      ),
    ],
    last: () => [],
    error: (error) => [`${JSON.stringify({ error })}\n`],
    unreadable: '{"done": NaN}\n',
    halfCharacter: Buffer.concat([
      Buffer.from('{"message":{"role":"assistant","content":"'),
      Buffer.from("é").subarray(0, 1),
    ]),
  };
  return { wire, words };
}

function mostTokens(body: Body): number {
  const most = isRecord(body.options) ? body.options.num_predict : undefined;
  const left =
    body.shift === false ? contextOf(body) - wordsIn(body.messages) : Number.POSITIVE_INFINITY;
  return typeof most === "number" && most > 0 ? Math.min(most, left) : left;
}

/**
 * Counts words, never more than the context holds: the rest is silently dropped, like in the
 * original.
 */
const promptTokens = (body: Body): number => Math.min(wordsIn(body.messages), contextOf(body));

const wordsIn = (prompt: unknown): number => JSON.stringify(prompt ?? "").split(/\s+/).length;

/** 4,096 by default (docs.ollama.com/context-length). */
function contextOf(body: Body): number {
  const context = isRecord(body.options) ? body.options.num_ctx : undefined;
  return typeof context === "number" ? context : 4_096;
}

/**
 * Without truncation, it refuses longer inputs: for embeddings in its own words, for chats in
 * llama-server's, as text (0.34 and later).
 */
export function refuseLong(body: Body): string | null {
  const [n_prompt_tokens, n_ctx] = [wordsIn(body.messages ?? body.input), contextOf(body)];
  if (body.truncate !== false || n_prompt_tokens <= n_ctx) return null;
  if (body.messages === undefined) return "the input length exceeds the context length";
  const message = `request (${n_prompt_tokens} tokens) exceeds the available context size (${n_ctx} tokens), try increasing it`;
  return JSON.stringify({
    error: { code: 400, message, type: "exceed_context_size_error", n_prompt_tokens, n_ctx },
  });
}

import type { ServerResponse } from "node:http";
import { replyHtml, replyJson, write } from "../http-reply.ts";
import { isRecord } from "./fields.ts";
import type { OllamaModel } from "./models.ts";

export const ollamaFaults = [
  "busy",
  "500",
  "memory",
  "html",
  "reset",
  // Inside the answer, after its second word.
  "error-line",
  "cut",
  "end",
  "drop",
  "bytes",
  "long-line",
  "not-json",
  // Holds the answer after its first word until released.
  "hold",
] as const;
export type OllamaFault = (typeof ollamaFaults)[number];

export type Script = { tokens?: string[]; thinking?: string[]; fault?: OllamaFault; tokenMs?: number; doneReason?: string };
export type Gate = { wait(): Promise<void>; open(): void };

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { wait: () => promise, open: resolve };
}

type Body = Record<string, unknown>;
export type Chat = { body: Body; model: OllamaModel; prompt: string; script: Script; gate: Gate };

/** The last thing a person said. */
export function promptOf(body: Body): string {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  return String(messages.findLast((message) => message.role === "user")?.content ?? "");
}

/** What the model can't do is refused in Ollama's words. */
export function refuseChat({ body, model }: Chat): string | null {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  const can = (capability: string) => model.capabilities?.includes(capability) ?? capability === "completion";
  if (!can("completion")) return `"${model.name}" does not support chat`;
  if (body.think !== undefined && !can("thinking")) return `"${model.name}" does not support thinking`;
  if (typeof body.think === "string" && !model.thinking?.values.includes(body.think)) return `think value "${body.think}" is not supported`;
  if (messages.some((message) => message.images) && !can("vision")) return `"${model.name}" does not support image input`;
  return null;
}

/** /api/chat as NDJSON. Resolves with how many tokens were sent, when the answer or its reader has ended. */
export async function replyChat(response: ServerResponse, chat: Chat): Promise<number> {
  const { body, model, prompt, script, gate } = chat;
  const { fault, tokenMs = 0 } = script;
  if (fault === "reset") {
    response.destroy();
    return 0;
  }
  if (fault === "busy")
    return done(() => replyJson(response, 503, { error: "server busy, please try again.  maximum pending requests exceeded" }));
  if (fault === "500") return done(() => replyJson(response, 500, { error: "llama runner process has terminated: signal: killed" }));
  if (fault === "memory")
    return done(() => replyJson(response, 500, { error: "model requires more system memory (5.6 GiB) than is available (2.1 GiB)" }));
  if (fault === "html") return done(() => replyHtml(response));

  const thinks = model.capabilities?.includes("thinking") && body.think !== false;
  const thinking = thinks ? (script.thinking ?? ["Let me ", "think. "]) : [];
  const tokens = (script.tokens ?? ["You ", "said: ", ...(prompt.match(/\S+\s*/g) ?? []), " é😀"]).slice(0, mostTokens(body));
  const wasCut = tokens.length === mostTokens(body);
  const line = (message: Body, more: Body = { done: false }) =>
    `${JSON.stringify({ model: model.name, created_at: "2026-10-01T10:00:00Z", message: { role: "assistant", ...message }, ...more })}\n`;
  const say = async (text: string) => {
    if (fault !== "bytes") return write(response, text);
    for (const byte of Buffer.from(text)) await write(response, Uint8Array.of(byte));
  };
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  for (const text of thinking) await say(line({ content: "", thinking: text }));
  let sent = 0;
  for (const token of tokens) {
    if (response.destroyed) return sent;
    await say(line({ content: token }));
    sent++;
    if (tokenMs > 0) await new Promise((resolve) => setTimeout(resolve, tokenMs));
    if (fault === "hold" && sent === 1) await Promise.race([gate.wait(), new Promise((resolve) => response.once("close", resolve))]);
    if (sent !== 2) continue;
    if (fault === "error-line") return done(() => response.end('{"error":"an error was encountered while running the model"}\n'), sent);
    if (fault === "cut") return done(() => response.end(line({ content: "half" }).slice(0, 40)), sent);
    if (fault === "end") return done(() => response.end(), sent);
    if (fault === "drop") return done(() => response.destroy(), sent);
    if (fault === "not-json") return done(() => response.end('{"done": NaN}\n'), sent);
    if (fault === "long-line") return done(() => response.end(`{"message":{"content":"${"x".repeat(40 * 1024 * 1024)}`), sent);
  }
  const counts = { prompt_eval_count: promptTokens(body), eval_count: thinking.length + sent, total_duration: 5e9, load_duration: 1e9 };
  response.end(line({ content: "" }, { done: true, done_reason: script.doneReason ?? (wasCut ? "length" : "stop"), ...counts }));
  return sent;
}

function done(act: () => void, sent = 0): number {
  act();
  return sent;
}

function mostTokens(body: Body): number {
  const most = isRecord(body.options) ? body.options.num_predict : undefined;
  return typeof most === "number" && most > 0 ? most : Number.POSITIVE_INFINITY;
}

/** Words, and never more than the context holds: the rest is dropped without a word, as there. */
function promptTokens(body: Body): number {
  const words = JSON.stringify(body.messages ?? []).split(/\s+/).length;
  const context = isRecord(body.options) ? body.options.num_ctx : undefined;
  return typeof context === "number" ? Math.min(words, context) : words;
}

import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Behaviour, Fault, Gates, Post } from "./behaviour.ts";

type ChatBody = {
  model: string;
  stream?: boolean;
  max_tokens?: number;
  max_completion_tokens?: number;
  messages: { role: string; content: string | { type: string; text?: string }[] }[];
};

/** Answers a chat request, as a stream of server-sent events or whole, with the faults and timings of `behaviour`. */
export async function answerChat(options: {
  body: ChatBody;
  behaviour: Behaviour;
  post: Post;
  response: ServerResponse;
  gates: Gates;
}): Promise<void> {
  const { body, behaviour, post, response, gates } = options;
  const { fault, gate } = behaviour;
  const most = body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY;
  const all = deltas(behaviour, body);
  const words = all.slice(0, most);
  const finish = behaviour.finishReason ?? (words.length < all.length ? "length" : "stop");
  const usage = behaviour.usage ?? countUsage(body, behaviour, words.length);
  const base = { id: "chatcmpl-1", created: 1_700_000_000, model: body.model };

  if (gate?.at === "head") await gates.wait(gate.name);
  post.billed = true;
  if (!body.stream) {
    const message = { role: "assistant", content: words.join("") };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }], usage }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();
  const write = createWriter(response, behaviour.splitBytes);
  const event = (fields: object) => write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", ...fields })}\n\n`);
  const delta = (content: object) => event({ choices: [{ index: 0, delta: content, finish_reason: null }] });
  if (fault?.kind === "raw") {
    await write(fault.body);
    response.end();
    return;
  }
  if (fault?.kind === "reset" && fault.at === "head") return reset(response, post);

  await sleep(behaviour.firstTokenMs ?? 0);
  await delta({ role: "assistant", content: "" });
  for (const thought of behaviour.reasoning ?? []) await delta({ reasoning_content: thought });
  for (const [index, word] of words.entries()) {
    if (gate?.at === index) await gates.wait(gate.name);
    if (index > 0 && behaviour.betweenMs) await sleep(behaviour.betweenMs);
    if (fault && (await failAt(fault, index))) return;
    await delta({ content: word });
    if (response.destroyed) return;
  }
  if (gate?.at === words.length) await gates.wait(gate.name);
  if (fault && (await failAt(fault, words.length))) return;
  await event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  if (fault?.kind === "reset" && fault.at === "end") return reset(response, post);
  await event({ choices: [], usage });
  await write("data: [DONE]\n\n");
  response.end();

  /** True when the answer ended here. */
  async function failAt(failing: Fault, index: number): Promise<boolean> {
    if (failing.kind === "reset" && failing.at === index) {
      reset(response, post);
      return true;
    }
    if (!("after" in failing) || failing.after !== index) return false;
    if (failing.kind === "error-event") await write(`data: ${JSON.stringify({ error: failing.error })}\n\n`);
    if (failing.kind === "nan") await write('data: {"choices":[{"index":0,"delta":{"content":"x"},"logprobs":NaN}]}\n\n');
    if (failing.kind === "half-character")
      await write(Buffer.concat([Buffer.from('data: {"choices":[{"delta":{"content":"'), Buffer.from("é").subarray(0, 1)]));
    response.end();
    return true;
  }
}

export function reset(response: ServerResponse, post: Post): void {
  post.state = "broken";
  response.socket?.resetAndDestroy();
}

function deltas(behaviour: Behaviour, body: ChatBody): string[] {
  if (Array.isArray(behaviour.text)) return behaviour.text;
  if (behaviour.tokens !== undefined) return Array.from({ length: behaviour.tokens }, (_, index) => `word${index} `);
  return (behaviour.text ?? `You said: ${lastWords(body)}`).match(/\s*\S+/g) ?? [];
}

function lastWords(body: ChatBody): string {
  const content = body.messages.findLast((message) => message.role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map((part) => part.text ?? `[${part.type}]`).join(" ");
}

function countUsage(body: ChatBody, behaviour: Behaviour, words: number) {
  const asked = JSON.stringify(body.messages).split(/\s+/).length;
  const thoughts = behaviour.reasoning?.length ?? 0;
  return {
    prompt_tokens: asked,
    completion_tokens: words + thoughts,
    total_tokens: asked + words + thoughts,
    ...(thoughts > 0 && { completion_tokens_details: { reasoning_tokens: thoughts } }),
  };
}

/** Writes whole, or in pieces of a size that leave one by one; waits for a reader that is slower. */
function createWriter(response: ServerResponse, splitBytes: number | undefined) {
  const send = (piece: Uint8Array) =>
    new Promise<void>((resolve) => {
      if (response.destroyed) resolve();
      else response.write(piece, () => resolve());
    });
  return async (content: string | Buffer) => {
    const bytes = Buffer.from(content as string);
    const size = splitBytes ?? bytes.length;
    for (let from = 0; from < bytes.length; from += size) await send(bytes.subarray(from, from + size));
  };
}

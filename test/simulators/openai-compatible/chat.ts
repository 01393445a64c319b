import { argumentsOf, type Behaviour, type Gates, type Post } from "../kit/behaviour.ts";
import { type AnswerWire, streamAnswer, wordsOf } from "../kit/chat-stream.ts";
import { json } from "../kit/json.ts";
import type { Call } from "../kit/server.ts";

type ChatBody = {
  model: string;
  stream?: boolean;
  logprobs?: boolean;
  top_logprobs?: number;
  max_tokens?: number;
  max_completion_tokens?: number;
  messages: { role: string; content: string | null | { type: string; text?: string }[] }[];
};

/**
 * Answers a chat request as server-sent events or at once, with the faults and timings of
 * `behaviour`.
 */
export async function answerChat(given: {
  call: Call;
  behaviour: Behaviour;
  post: Post;
  gates: Gates;
}): Promise<void> {
  const { wire, words, whole } = writeChat(given.post, given.behaviour);
  if (!wire) return json(given.call.response, whole);
  await streamAnswer(wire, words, { ...given, response: given.call.response });
}

/** The answer to a chat request: its stream's format, or its whole body. */
export function writeChat(
  post: Post,
  behaviour: Behaviour,
): { wire: AnswerWire | null; words: string[]; whole: object } {
  const body = post.body as ChatBody;
  const most = body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY;
  const all = wordsOf(behaviour, lastText(body));
  const words = all.slice(0, most);
  const wanted = behaviour.toolCalls ? "tool_calls" : words.length < all.length ? "length" : "stop";
  const finish = behaviour.finishReason ?? wanted;
  const usage = behaviour.usage ?? countUsage(body, behaviour, words.length);
  const base = { id: "chatcmpl-1", created: 1_700_000_000, model: body.model };

  /** A word is a token. */
  const logprobsOf = (token: string) => {
    if (!body.logprobs || token === "") return {};
    const alternatives = Array.from({ length: body.top_logprobs ?? 0 }, (_, place) => ({
      token: `${token}${place || ""}`,
      logprob: -0.5 - place,
      bytes: null,
    }));
    const one = { token, logprob: -0.5, bytes: null, top_logprobs: alternatives };
    return { logprobs: { content: [one], refusal: null } };
  };

  if (!body.stream) {
    const calls = behaviour.toolCalls && { tool_calls: toToolCalls(behaviour.toolCalls) };
    const message = { role: "assistant", content: words.join(""), ...calls };
    return {
      wire: null,
      words,
      whole: {
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: finish, ...logprobsOf(words.join("")) }],
        usage,
      },
    };
  }
  const event = (fields: object) =>
    `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", ...fields })}\n\n`;
  const delta = (content: object) =>
    event({
      choices: [
        {
          index: 0,
          delta: content,
          finish_reason: null,
          ...("content" in content && logprobsOf(String(content.content))),
        },
      ],
    });
  const wire: AnswerWire = {
    contentType: "text/event-stream; charset=utf-8",
    start: () => [delta({ role: "assistant", content: "" })],
    reasoning: (thought) => [delta({ reasoning_content: thought })],
    word: (word) => [delta({ content: word })],
    // The name first, then the input in two pieces, like the original streams them.
    toolCalls: (calls) =>
      toToolCalls(calls).flatMap(({ id, function: { name, arguments: input } }, index) => [
        delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...[input.slice(0, 3), input.slice(3)].map((piece) =>
          delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
    finish: () => [event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })],
    last: () => [event({ choices: [], usage }), "data: [DONE]\n\n"],
    // Some services send it in a chunk of their own shape.
    error: (error) => [
      isOwnChunk(error) ? event(error.chunk) : `data: ${JSON.stringify({ error })}\n\n`,
    ],
    unreadable: 'data: {"choices":[{"index":0,"delta":{"content":"x"},"logprobs":NaN}]}\n\n',
    halfCharacter: Buffer.concat([
      Buffer.from('data: {"choices":[{"delta":{"content":"'),
      Buffer.from("é").subarray(0, 1),
    ]),
  };
  return { wire, words, whole: {} };
}

const isOwnChunk = (error: unknown): error is { chunk: object } =>
  typeof error === "object" && error !== null && "chunk" in error;

const toToolCalls = (calls: NonNullable<Behaviour["toolCalls"]>) =>
  calls.map((call, index) => ({
    id: `call_${index + 1}`,
    type: "function" as const,
    function: { name: call.name, arguments: argumentsOf(call) },
  }));

function lastText(body: ChatBody): string {
  const content =
    body.messages.findLast((message) => message.role === "user" || message.role === "tool")
      ?.content ?? "";
  return typeof content === "string"
    ? content
    : content.map((part) => part.text ?? `[${part.type}]`).join(" ");
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

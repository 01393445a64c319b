import { damage, encodeEvent, encodeException } from "../aws/aws-event-stream.ts";
import type { Behaviour, Gates, Post } from "../kit/behaviour.ts";
import { type AnswerWire, streamAnswer, wordsOf } from "../kit/chat-stream.ts";
import type { Call } from "../kit/server.ts";
import type { ConverseBody } from "./strict.ts";

/**
 * Answers POST /model/{id}/converse-stream with the events of API_runtime_ConverseStreamOutput, in
 * the binary event stream.
 */
export async function answerConverse(given: {
  call: Call;
  post: Post;
  behaviour: Behaviour;
  gates: Gates;
}): Promise<void> {
  const { behaviour, post, call } = given;
  const body = post.body as ConverseBody;
  const all = wordsOf(behaviour, lastText(body));
  const words = all.slice(0, body.inferenceConfig?.maxTokens ?? all.length);
  const stop =
    behaviour.finishReason ??
    (behaviour.toolCalls ? "tool_use" : words.length < all.length ? "max_tokens" : "end_turn");
  // Claude's own field, returned only if its path is requested.
  const isTold = body.additionalModelResponseFieldPaths?.includes("/delta/stop_sequence");
  const stoppedAt =
    isTold && stop === "stop_sequence" ? body.inferenceConfig?.stopSequences?.[0] : undefined;
  const inputTokens = JSON.stringify(body.messages).split(/\s+/).length;
  const usage = {
    inputTokens,
    outputTokens: words.length,
    totalTokens: inputTokens + words.length,
    ...behaviour.usage,
  };

  let index = -1;
  let open: "text" | "reasoning" | null = null;
  // The original pads its payloads, so that their lengths reveal nothing.
  const delta = (content: object) =>
    encodeEvent("contentBlockDelta", {
      contentBlockIndex: index,
      delta: content,
      p: "abcdefghij".slice(0, 1 + (index % 9)),
    });
  const close = () => {
    if (open === null) return [];
    const signed =
      open === "reasoning" ? [delta({ reasoningContent: { signature: "c2lnbmVk" } })] : [];
    open = null;
    return [...signed, encodeEvent("contentBlockStop", { contentBlockIndex: index })];
  };
  /**
   * A block of text or reasoning starts with its first delta; only tool blocks have a start event.
   */
  const into = (kind: "text" | "reasoning") => {
    if (open === kind) return [];
    const closed = close();
    index++;
    open = kind;
    return closed;
  };

  const wire: AnswerWire = {
    contentType: "application/vnd.amazon.eventstream",
    headers: { "x-amzn-requestid": "sim-request" },
    start: () => [encodeEvent("messageStart", { role: "assistant", p: "abc" })],
    reasoning: (thought) => [...into("reasoning"), delta({ reasoningContent: { text: thought } })],
    word: (word) => [...into("text"), delta({ text: word })],
    toolCalls: (calls) =>
      calls.flatMap(({ name, input }, place) => {
        const json = JSON.stringify(input);
        const closed = close();
        index++;
        const toolUse = { toolUseId: `tooluse_${place + 1}`, name };
        return [
          ...closed,
          encodeEvent("contentBlockStart", { contentBlockIndex: index, start: { toolUse } }),
          ...["", json.slice(0, 4), json.slice(4)].map((piece) =>
            delta({ toolUse: { input: piece } }),
          ),
          encodeEvent("contentBlockStop", { contentBlockIndex: index }),
        ];
      }),
    finish: () => [
      ...close(),
      encodeEvent("messageStop", {
        stopReason: stop,
        ...(stoppedAt && {
          additionalModelResponseFields: { delta: { stop_sequence: stoppedAt } },
        }),
      }),
    ],
    last: () => [encodeEvent("metadata", { usage, metrics: { latencyMs: 7 } })],
    error: (error) => {
      const { type, ...payload } = error as { type: string; message: string };
      return [encodeException(type, payload)];
    },
    unreadable: damage(
      encodeEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: " never" } }),
    ),
    halfCharacter: encodeEvent("contentBlockDelta", {
      contentBlockIndex: 0,
      delta: { text: "é" },
    }).subarray(0, 100),
  };
  await streamAnswer(wire, words, { ...given, response: call.response });
}

function lastText({ messages }: ConverseBody): string {
  return messages
    .at(-1)!
    .content.flatMap((part) =>
      "text" in part ? [part.text] : "cachePoint" in part ? [] : [`[${Object.keys(part)[0]}]`],
    )
    .join(" ");
}

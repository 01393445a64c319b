import { damage, encodeException, encodeFrame } from "../aws/aws-event-stream.ts";
import type { Behaviour, Post } from "../kit/behaviour.ts";
import { type AnswerWire, wordsOf } from "../kit/chat-stream.ts";
import { writeChat } from "../openai-compatible/chat.ts";

/**
 * A container's bytes in InvokeEndpointWithResponseStream's form: PayloadPart frames, split
 * anywhere.
 */
function toFrames(pieces: (string | Uint8Array)[]): Buffer[] {
  return pieces.flatMap((piece) => {
    const bytes = Buffer.from(piece as string);
    const middle = Math.ceil(bytes.length / 2);
    return [bytes.subarray(0, middle), bytes.subarray(middle)]
      .filter(({ length }) => length > 0)
      .map(part);
  });
}
const part = (bytes: Uint8Array): Buffer =>
  encodeFrame(
    {
      ":event-type": "PayloadPart",
      ":content-type": "application/octet-stream",
      ":message-type": "event",
    },
    bytes,
  );

/** Wraps an answer's pieces in frames. */
export function wrap(wire: AnswerWire): AnswerWire {
  return {
    contentType: "application/vnd.amazon.eventstream",
    headers: {
      "x-amzn-sagemaker-content-type": "text/event-stream",
      "x-amzn-invoked-production-variant": "AllTraffic",
    },
    start: () => toFrames(wire.start()),
    reasoning: (thought) => toFrames(wire.reasoning(thought)),
    word: (word) => toFrames(wire.word(word)),
    toolCalls: (calls) => toFrames(wire.toolCalls(calls)),
    finish: () => toFrames(wire.finish()),
    last: () => toFrames(wire.last()),
    error: (error) => {
      const { type, ...payload } = error as { type: string };
      return [encodeException(type, payload)];
    },
    unreadable: damage(part(Buffer.from('data: {"choices":[]}\n\n'))),
    halfCharacter: part(Buffer.from("data: é")).subarray(0, 40),
  };
}

export const messagesWire = (post: Post, behaviour: Behaviour) => writeChat(post, behaviour);

type TgiBody = { inputs: string; parameters: { max_new_tokens?: number } };

/** TGI's stream: one token per event, and the text with its details in the last. */
export function tgiWire(post: Post, behaviour: Behaviour): { wire: AnswerWire; words: string[] } {
  const body = post.body as TgiBody;
  const all = wordsOf(behaviour, body.inputs);
  const words = all.slice(0, body.parameters.max_new_tokens ?? all.length);
  const event = (fields: object) => `data:${JSON.stringify(fields)}\n\n`;
  let index = 0;
  const token = (text: string, special = false) => ({ id: ++index, text, logprob: -0.1, special });
  const details = {
    finish_reason: words.length < all.length ? "length" : "eos_token",
    generated_tokens: words.length,
    seed: null,
    input_length: body.inputs.split(/\s+/).length,
  };
  const wire: AnswerWire = {
    contentType: "text/event-stream",
    start: () => [],
    reasoning: () => [],
    word: (word) => [event({ index, token: token(word), generated_text: null, details: null })],
    toolCalls: () => [],
    finish: () => [
      event({ index, token: token("</s>", true), generated_text: words.join(""), details }),
    ],
    last: () => [],
    error: (error) => [event({ error, error_type: "generation" })],
    unreadable: "data:{NaN}\n\n",
    halfCharacter: "data:",
  };
  return { wire, words };
}

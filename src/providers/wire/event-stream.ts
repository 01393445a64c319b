import { createParser } from "eventsource-parser";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { ProviderError } from "../adapter.ts";
import { refuseUnbounded } from "../outbound/answer-bounds.ts";
import { type BodyReader, takeBody } from "../outbound/outbound-body.ts";

/** A server-sent event. `event` is its name, if it has one. */
export type ServerEvent = { event?: string | undefined; data: string };

/**
 * How long the socket of a complete response may take to end, to be reused by the next call, before
 * we close it.
 */
const drainMs = 1_000;

/**
 * Yields server-sent events as they arrive, all queued ones at once: a network chunk often contains
 * many, and one turn of the event loop for each would cost more than parsing them. Characters split
 * between chunks are joined; text without an empty line at the end isn't an event. Events before an
 * error are yielded before the error. `last` is the data of the event that ends the stream
 * ("[DONE]"): the rest is drained in the background, so that the socket and its TLS session serve
 * the next call.
 * @throws ProviderError for a line longer than `mostCharacters`
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  options: { last?: string; mostCharacters?: number } = {},
): AsyncGenerator<ServerEvent[]> {
  const reader = takeBody(body);
  const decoder = new TextDecoder();
  let events: ServerEvent[] = [];
  let endless = false;
  let ended = false;
  const parser = createParser({
    maxBufferSize: options.mostCharacters ?? limits.streamLineBytes,
    onEvent: ({ event, data }) => events.push({ event, data: refuseUnbounded(data) }),
    onError: (error) => {
      endless ||= error.type === "max-buffer-size-exceeded";
    },
  });
  try {
    for (;;) {
      const pieces = await reader.read();
      if (pieces === null) {
        ended = true;
        return;
      }
      for (const piece of pieces)
        if (!endless) parser.feed(decoder.decode(piece, { stream: true }));
      const isLast = ({ data }: ServerEvent): boolean =>
        options.last !== undefined && data === options.last;
      // Events after the last one are dropped.
      const batch = events.slice(0, events.findIndex(isLast) + 1 || events.length);
      events = [];
      if (batch.length > 0) yield batch;
      if (endless)
        throw new ProviderError("provider_protocol", "yes", {
          message: sentences.answers.hugeLine,
        });
      if (batch.some(isLast)) {
        ended = true;
        void drain(reader);
        return;
      }
    }
  } finally {
    if (!ended) await reader.cancel().catch(() => {});
  }
}

async function drain(reader: BodyReader): Promise<void> {
  const timer = setTimeout(() => reader.cancel().catch(() => {}), drainMs).unref();
  try {
    while (await reader.read());
  } catch {
    // The response was complete, so it doesn't matter how its socket ends.
  } finally {
    clearTimeout(timer);
  }
}

import { createParser } from "eventsource-parser";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { ProviderError } from "../adapter.ts";
import { refuseUnbounded } from "../outbound/answer-bounds.ts";
import { type BodyReader, takeBody } from "../outbound/outbound-body.ts";

/** One server-sent event; `event` is its name, where it has one. */
export type ServerEvent = { event?: string | undefined; data: string };

/** How long an answer that is complete may take to close its socket for the next one; then it is closed by us. */
const drainMs = 1_000;

/**
 * Server-sent events as they come, all that wait at once (a piece of the network often holds many, and one turn of the
 * loop each would cost more than reading them). Characters cut between pieces are put together; what is left without its
 * empty line at the end is no event. What came before an error is given before the error. `last` is the data of the event
 * that ends the stream ("[DONE]"): what follows is read aside, so that the socket and its TLS serve the next call. Throws
 * ProviderError for a line longer than `mostCharacters`.
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
      // What comes twice is said once.
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
    // The answer was complete: how its socket ends is of no interest.
  } finally {
    clearTimeout(timer);
  }
}

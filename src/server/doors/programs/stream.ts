import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { ServerDeps } from "../../deps.ts";
import { type StreamedEvent, type StreamOptions, streamEvents } from "../../live/event-stream.ts";
import type { Asking } from "./follow.ts";

/** For a client that has disconnected. */
export const answerGone = RESPONSE_ALREADY_SENT;

/** Sends a generator's events. It waits for the first one, so that a refusal keeps its status. */
export async function streamOf(
  deps: ServerDeps,
  { c, gone, place, isBackground }: Asking,
  events: AsyncGenerator<StreamedEvent>,
  options: StreamOptions,
): Promise<Response> {
  const first = events.next();
  // A background run is already admitted, and its next event may be far away.
  const headIsDue = isBackground ? Promise.resolve() : place.isKept;
  await Promise.race([first, headIsDue]).finally(place.lose);
  // The failure is thrown where the stream reads the event.
  first.catch(() => undefined);
  if (gone.aborted) {
    void events.return(undefined);
    return answerGone;
  }
  return streamEvents(deps, c, () => resumed(first, events), options);
}

/**
 * Yields the same events after the first one was already requested. Not a generator, because each
 * word would pass through another layer.
 */
function resumed<Event>(
  first: Promise<IteratorResult<Event, void>>,
  events: AsyncGenerator<Event, void>,
): AsyncIterable<Event> {
  let isBegun = false;
  const next = (): Promise<IteratorResult<Event, void>> => {
    if (isBegun) return events.next();
    isBegun = true;
    return first;
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => events.return() }) };
}

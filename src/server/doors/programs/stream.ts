import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { ServerDeps } from "../../deps.ts";
import { type StreamedEvent, type StreamOptions, streamEvents } from "../../live/event-stream.ts";
import type { Asking } from "./follow.ts";

/** For a client that has disconnected. */
export const answerGone = RESPONSE_ALREADY_SENT;

/** Sends a generator's events. Its first one is waited for, so that a refusal keeps its status. */
export async function streamOf(
  deps: ServerDeps,
  { c, gone, place, isBackground }: Asking,
  events: AsyncGenerator<StreamedEvent>,
  options: StreamOptions,
): Promise<Response> {
  const first = events.next();
  // In the background its run was admitted before, and its next event may be far away.
  const headIsDue = isBackground ? Promise.resolve() : place.isKept;
  await Promise.race([first, headIsDue]).finally(place.lose);
  // Its failure is thrown where the stream reads it.
  first.catch(() => undefined);
  if (gone.aborted) {
    void events.return(undefined);
    return answerGone;
  }
  return streamEvents(deps, c, () => resumed(first, events), options);
}

/** The same events, of which the first was asked for before. Not a generator around them: each word would pass one more. */
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

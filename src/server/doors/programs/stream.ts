import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { ServerDeps } from "../../deps.ts";
import { type StreamedEvent, type StreamOptions, streamEvents } from "../../live/event-stream.ts";
import type { Asking } from "./follow.ts";

/** For a client that has disconnected. */
export const answerGone = RESPONSE_ALREADY_SENT;

/** What fails before its run has its place, or within this time after, is answered with a status; later the stream has started and carries the error. */
const headMs = 5_000;

/** Sends a generator's events. Its first one is waited for, so that a refusal keeps its status. */
export async function streamOf(
  deps: ServerDeps,
  { c, gone, placed, isBackground }: Asking,
  events: AsyncGenerator<StreamedEvent>,
  options: StreamOptions,
): Promise<Response> {
  const first = events.next();
  const headIsDue = Promise.withResolvers<void>();
  // Its run was admitted before, and its next event may be far away.
  if (isBackground) headIsDue.resolve();
  let timer: NodeJS.Timeout | undefined;
  placed.promise.then(() => {
    timer = setTimeout(headIsDue.resolve, headMs);
  });
  await Promise.race([first, headIsDue.promise]).finally(() => clearTimeout(timer));
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

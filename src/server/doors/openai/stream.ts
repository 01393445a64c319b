import { setTimeout as sleep } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { ServerDeps } from "../../deps.ts";
import { type StreamedEvent, type StreamOptions, streamEvents } from "../../live/event-stream.ts";
import { toOpenAiError } from "./errors.ts";
import { type Asking, headersOf } from "./follow.ts";

/** For a client that has disconnected: its run continues without a reader. */
export const answerGone = RESPONSE_ALREADY_SENT;

/** What fails before its run has its place, or within this time after, is answered with a status; later the stream has started and carries the error. */
const headMs = 5_000;

/** Sends a generator's events. Its first one is waited for, so that a refusal keeps its status. */
export async function streamOf(
  deps: ServerDeps,
  { c, gone, placed }: Asking,
  runId: string,
  events: AsyncGenerator<StreamedEvent>,
  options: StreamOptions = {
    headers: headersOf(runId),
    onProblem: (problem) => ({ payload: toOpenAiError(problem) }),
  },
): Promise<Response> {
  const first = events.next();
  const late = new AbortController();
  try {
    const isPlaced = new Promise<void>((resolve) =>
      placed.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    const headIsDue = isPlaced
      .then(() => sleep(headMs, undefined, { signal: late.signal }))
      .catch(() => undefined);
    await Promise.race([first, headIsDue]);
  } finally {
    late.abort();
  }
  // Its failure is thrown where the stream reads it.
  first.catch(() => undefined);
  if (gone.aborted) return answerGone;
  async function* source(): AsyncGenerator<StreamedEvent> {
    const begun = await first;
    if (begun.done) return;
    yield begun.value;
    yield* events;
  }
  return streamEvents(deps, c, source, options);
}

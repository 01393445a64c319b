import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { type Problem, toProblemBody } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { problemOf } from "#engine/persist.ts";
import type { ServerDeps } from "../deps.ts";
import type { Env } from "../env.ts";
import { gatherTurnWrites } from "./turn-writes.ts";

/** Without a type it is a plain `message`. `raw` is for protocol tokens that aren't JSON. */
export type StreamedEvent = { id?: number; type?: string } & (
  | { payload: unknown }
  | { raw: string }
);
export type StreamOptions = {
  headers?: Record<string, string>;
  /** Keep-alive events, for clients that ignore comments; by default a comment is sent. */
  keepAlive?: () => readonly StreamedEvent[];
  /** The last event when the source fails. */
  onProblem?: (problem: Problem) => StreamedEvent;
  /**
   * Breaks the connection after that event, for clients that take the last event of a cleanly ended
   * stream for the result.
   */
  tears?: boolean;
};

const keepAliveMs = 15_000;

/** The abort reason of a stream's signal, shared because creating one captures a stack. */
export const readerLeft = new DOMException("The reader left.", "AbortError");

/**
 * Writes server-sent events to the raw response, at half the cost of a web stream. Pauses while the
 * reader doesn't read, so that at most one event is held besides the socket's own buffer. A reader
 * that stops reading is disconnected, and resumes with Last-Event-ID.
 */
export function streamEvents(
  deps: Pick<ServerDeps, "log">,
  c: Context<Env>,
  source: (signal: AbortSignal) => AsyncIterable<StreamedEvent>,
  {
    headers = {},
    keepAlive: signs = () => [],
    onProblem = (problem) => ({ type: "problem", payload: toProblemBody(problem) }),
    tears = false,
  }: StreamOptions = {},
): Response {
  const { incoming, outgoing } = c.env;
  const gone = new AbortController();
  // A client that left during the rights check has already emitted its close event.
  if (outgoing.destroyed || outgoing.closed) return RESPONSE_ALREADY_SENT;
  outgoing.on("close", () => {
    clearInterval(keepAlive);
    gone.abort(readerLeft);
  });
  outgoing.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  const keepAlive = setInterval(
    () => outgoing.write(signs().map(linesOf).join("") || ":\n\n"),
    keepAliveMs,
  );
  // Gathers writes of the socket, because the response writes each chunk in several parts.
  const writes = gatherTurnWrites(incoming.socket);
  writes.gather();
  outgoing.flushHeaders();
  const write = (event: StreamedEvent): boolean => {
    writes.gather();
    return outgoing.write(linesOf(event));
  };

  async function pump(): Promise<void> {
    for await (const event of source(gone.signal)) {
      if (gone.signal.aborted) return;
      if (!write(event) && outgoing.writableLength > limits.socketBufferBytes / 2)
        await drained(outgoing, gone.signal);
    }
  }
  pump()
    .catch((error) => {
      if (gone.signal.aborted) return;
      const problem = problemOf(error);
      if (problem.code === "internal")
        deps.log.error(
          { error: error instanceof Error ? error.stack : String(error) },
          "an event stream failed",
        );
      write(onProblem(problem));
      return tears;
    })
    .then((isTorn = false) => {
      clearInterval(keepAlive);
      writes.handOn();
      // Without the final chunk, the client sees a truncated response once everything written is
      // sent.
      if (isTorn) incoming.socket.destroySoon();
      else outgoing.end();
      writes.handOn();
    });
  return RESPONSE_ALREADY_SENT;
}

function linesOf({ id, type, ...event }: StreamedEvent): string {
  const data = "raw" in event ? event.raw : JSON.stringify(event.payload);
  return `${id === undefined ? "" : `id: ${id}\n`}${type === undefined ? "" : `event: ${type}\n`}data: ${data}\n\n`;
}

function drained(outgoing: NodeJS.WritableStream, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      signal.removeEventListener("abort", done);
      outgoing.removeListener("drain", done);
      resolve();
    };
    outgoing.once("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}

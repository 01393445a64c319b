import type { ServerResponse } from "node:http";
import { replyHtml, replyJson } from "../http-reply.ts";

/** Interrupts a request about an accepted job, for any simulator. */
export type Interruption =
  /** The connection is reset instead of an answer, or halfway through it. */
  | { kind: "reset"; at: "request" | "middle" }
  | { kind: "status"; status: number; body?: unknown; headers?: Record<string, string> }
  | { kind: "html"; status?: number }
  | { kind: "broken-json" }
  /** The answer is sent in pieces of this many bytes, by default single bytes. */
  | { kind: "pieces"; bytes?: number };

/**
 * A queue of interruptions for the next requests, which precede the simulator's own handling and
 * appear in no ledger.
 */
export function createInterruptions() {
  const waiting: Interruption[] = [];
  return {
    interrupt: (next: Interruption) => void waiting.push(next),
    /** True if the request is finished. */
    meet(response: ServerResponse): boolean {
      const met = waiting.shift();
      return met !== undefined && interrupt(met, response);
    },
  };
}

function interrupt(met: Interruption, response: ServerResponse): boolean {
  switch (met.kind) {
    case "reset":
      if (met.at === "request") response.socket?.resetAndDestroy();
      else
        onWholeAnswer(response, (bytes) =>
          response.write(bytes.subarray(0, bytes.length / 2), () =>
            response.socket?.resetAndDestroy(),
          ),
        );
      return met.at === "request";
    case "status":
      if (typeof met.body === "string")
        response
          .writeHead(met.status, { "content-type": "text/plain", ...met.headers })
          .end(met.body);
      else replyJson(response, met.status, met.body ?? {}, met.headers);
      return true;
    case "html":
      replyHtml(response, met.status);
      return true;
    case "broken-json":
      response.writeHead(200, { "content-type": "application/json" }).end('{"id": "job-1", "sta');
      return true;
    case "pieces":
      cutAnswer(response, met.bytes);
      return false;
  }
}

/** Sends a complete answer in pieces of this many bytes, each a separate packet. */
export function cutAnswer(response: ServerResponse, bytes = 1): void {
  onWholeAnswer(response, (whole, end) => void writeEach(response, whole, bytes).then(end));
}

/** Sends a complete answer through `send`. */
function onWholeAnswer(
  response: ServerResponse,
  send: (bytes: Buffer, end: () => void) => void,
): void {
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
  response.end = ((body?: unknown) => {
    if (typeof body !== "string" && !(body instanceof Uint8Array)) return end(body);
    send(Buffer.from(body as string), () => end());
    return response;
  }) as typeof response.end;
}

async function writeEach(response: ServerResponse, whole: Buffer, size: number): Promise<void> {
  for (let from = 0; from < whole.length; from += size)
    await new Promise<void>((resolve) =>
      response.write(whole.subarray(from, from + size), () => resolve()),
    );
}

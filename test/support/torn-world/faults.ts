import type { ServerResponse } from "node:http";
import type { Fault, WholeAnswer } from "./proxy.ts";
import { sendWhole } from "./proxy.ts";
import type { TornWay } from "./way.ts";

/**
 * How a torn answer ends: the connection is reset, closed, or ends cleanly as if it were complete.
 */
export type Ending = "reset" | "closed" | "clean";
export const endings: readonly Ending[] = ["reset", "closed", "clean"];

/**
 * Sends the first bytes, then ends. Without an announced length, only a clean end means
 * completeness.
 */
export const tornAt = (bytes: number, ending: Ending): Fault => ({
  name: `torn after ${bytes} bytes, ${ending}`,
  async meet({ status, headers, body }, response) {
    response.writeHead(status, headers);
    response.flushHeaders();
    await new Promise<void>((resolve) => response.write(body.subarray(0, bytes), () => resolve()));
    if (ending === "clean") response.end();
    else if (ending === "closed") response.socket?.destroySoon();
    else response.socket?.resetAndDestroy();
  },
});

/** Torn at a share of its bytes, whatever its length. */
export const tornAtShare = (share: number, ending: Ending): Fault => ({
  name: `torn at ${(100 * share).toFixed(1)}% of its bytes, ${ending}`,
  meet: (answer, response) =>
    tornAt(Math.floor(share * (answer.body.length + 1)), ending).meet(answer, response),
});

/** Breaks the connection before an answer's head. */
const silent = (
  name: string,
  end: (response: ServerResponse) => void,
  isInstead: boolean,
): Fault => ({
  name,
  ...(isInstead && { isInstead }),
  meet: (_answer, response) => end(response),
});
export const resetAfterIt = silent(
  "reset when it was taken",
  (response) => response.socket?.resetAndDestroy(),
  false,
);
export const closedAfterIt = silent(
  "closed when it was taken",
  (response) => response.socket?.destroySoon(),
  false,
);
export const resetBeforeIt = silent(
  "reset before it was taken",
  (response) => response.socket?.resetAndDestroy(),
  true,
);

const changed = (name: string, change: (answer: WholeAnswer) => WholeAnswer): Fault => ({
  name,
  meet: (answer, response) => sendWhole(change(answer), response),
});
/** The whole answer with another content type; `null` for none. */
export const labeled = (type: string | null): Fault =>
  changed(
    `labeled ${type ?? "nothing"}`,
    ({ headers: { "content-type": _, ...headers }, ...answer }) => ({
      ...answer,
      headers: { ...headers, ...(type !== null && { "content-type": type }) },
    }),
  );
export const emptied = changed("emptied", (answer) => ({ ...answer, body: Buffer.alloc(0) }));
export const doubled = changed("doubled", (answer) => ({
  ...answer,
  body: Buffer.concat([answer.body, answer.body]),
}));
/** An object of another service, or of this service in another state. */
export const otherObject = (body: object): Fault =>
  changed(`answered with ${JSON.stringify(body)}`, (answer) => ({
    ...answer,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(body)),
  }));

const page =
  "<!doctype html><html><head><title>Bad gateway</title></head><body>nginx</body></html>";
const foreign = {
  HTML: { type: "text/html", body: page },
  "an empty body": { type: null, body: "" },
  "a gateway's JSON": {
    type: "application/json",
    body: JSON.stringify({ message: "The upstream server is timing out" }),
  },
} as const;
export type Shape = keyof typeof foreign;
export const shapes = Object.keys(foreign) as Shape[];

/**
 * A status in a shape that isn't the provider's. `isInstead` means that the provider was never
 * asked.
 */
export function foreignStatus(status: number, shape: Shape, isInstead = false): Fault {
  const { type, body } = foreign[shape];
  return {
    name: `${status} with ${shape}${isInstead ? "" : ", when it was taken"}`,
    ...(isInstead && { isInstead }),
    meet: (_answer, response) =>
      void response.writeHead(status, type === null ? {} : { "content-type": type }).end(body),
  };
}

/** A status in the provider's own shape: a refusal, so nothing was made. */
export const ownStatus = (
  status: number,
  ownError: TornWay["ownError"],
  more: Record<string, string> = {},
): Fault => ({
  name: `${status} of its own`,
  isInstead: true,
  meet(_answer, response) {
    const { body, headers } = ownError(status, `Simulated ${status}.`);
    response
      .writeHead(status, { "content-type": "application/json", ...headers, ...more })
      .end(JSON.stringify(body));
  },
});

/** Holds the answer until `release` is called, then sends all of it. */
export function delayed(): Fault & { release(): void } {
  const gate = Promise.withResolvers<void>();
  return {
    name: "delayed past every limit",
    release: gate.resolve,
    async meet(answer, response) {
      await gate.promise;
      if (!response.destroyed) sendWhole(answer, response);
    },
  };
}

/**
 * Never sends the answer, so that the caller has to give up. Files pass. `count` is the number of
 * held answers.
 */
export function hanging(): Fault & { count(): number } {
  let count = 0;
  return {
    name: "never answered",
    count: () => count,
    meet(answer, response) {
      if (/json|text|event-stream/.test(String(answer.headers["content-type"] ?? ""))) count++;
      else sendWhole(answer, response);
    },
  };
}

/** Torn after one of its frames, counted from 0; sent whole if it has fewer. */
export const tornAtEdge = (index: number, ending: Ending): Fault => ({
  name: `torn behind frame ${index}, ${ending}`,
  async meet(answer, response) {
    const edge = edgesOf(answer)[index];
    if (edge === undefined || edge === answer.body.length) sendWhole(answer, response);
    else await tornAt(edge, ending).meet(answer, response);
  },
});

/**
 * The byte offsets at which an answer's frames end: events of a stream, lines, binary messages, or
 * the whole.
 */
export function edgesOf({ headers, body }: WholeAnswer): number[] {
  const type = String(headers["content-type"] ?? "");
  if (/amazon\.eventstream/.test(type)) return binaryEdges(body);
  const mark = /event-stream/.test(type)
    ? body.includes("\r\n\r\n")
      ? "\r\n\r\n"
      : "\n\n"
    : /ndjson|jsonl|stream\+json/.test(type)
      ? "\n"
      : null;
  const edges = [0];
  for (
    let at = mark === null ? -1 : body.indexOf(mark);
    mark !== null && at >= 0;
    at = body.indexOf(mark, at + 1)
  )
    edges.push(at + mark.length);
  if (edges.at(-1) !== body.length) edges.push(body.length);
  return edges;
}

/** Each message begins with its length (application/vnd.amazon.eventstream). */
function binaryEdges(body: Buffer): number[] {
  const edges = [0];
  for (let end = 0; end + 4 <= body.length; edges.push(end)) end += body.readUInt32BE(end);
  return edges;
}

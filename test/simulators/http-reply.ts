import type { IncomingMessage, ServerResponse } from "node:http";

/** Helpers for the simulators' HTTP requests and answers. */
export function replyJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function replyHtml(response: ServerResponse, status = 200): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" });
  response.end(
    "<!doctype html><html><head><title>Welcome</title></head><body>Sign in to the network</body></html>",
  );
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * Resolves when the data has been written to the socket, so that the next piece is a separate
 * packet.
 */
export const write = (response: ServerResponse, piece: Uint8Array | string): Promise<void> =>
  new Promise((resolve) => response.write(piece, () => resolve()));

/** A byte range according to RFC 9110 (one range), with ETag and length. */
export function replyBytes(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  headers: Record<string, string>,
): void {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = from === undefined ? 0 : Number(from);
  const end = to ? Math.min(Number(to), bytes.length - 1) : bytes.length - 1;
  if (start > end) {
    response.writeHead(416, { "content-range": `bytes */${bytes.length}` });
    response.end();
    return;
  }
  const isPart = from !== undefined;
  response.writeHead(isPart ? 206 : 200, {
    "accept-ranges": "bytes",
    "content-length": String(end - start + 1),
    ...(isPart && { "content-range": `bytes ${start}-${end}/${bytes.length}` }),
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : bytes.subarray(start, end + 1));
}

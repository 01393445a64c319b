/** A request's body for the socket, and the headers that follow from it. */
export type OutgoingBody = {
  content: Buffer | AsyncIterable<Uint8Array> | null;
  contentType: string | null;
};

/**
 * Converts any body that fetch accepts. Strings and bytes are sent with their length; FormData,
 * Blob and URLSearchParams are serialized first; a stream is sent as it arrives, with the caller's
 * content-length if there is one.
 */
export async function toOutgoingBody(
  body: BodyInit | AsyncIterable<Uint8Array> | null | undefined,
): Promise<OutgoingBody> {
  if (body === null || body === undefined) return { content: null, contentType: null };
  if (typeof body === "string")
    return { content: Buffer.from(body), contentType: "text/plain;charset=UTF-8" };
  if (body instanceof ArrayBuffer) return { content: Buffer.from(body), contentType: null };
  if (ArrayBuffer.isView(body))
    return {
      content: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      contentType: null,
    };
  if (body instanceof FormData || body instanceof Blob || body instanceof URLSearchParams) {
    const written = new Response(body);
    return {
      content: Buffer.from(await written.arrayBuffer()),
      contentType: written.headers.get("content-type"),
    };
  }
  return { content: body as AsyncIterable<Uint8Array>, contentType: null };
}

/** A body held by its only reader. */
export type BodyReader = {
  /**
   * Returns all queued pieces, or the next one; null at the end. Pieces received before an error
   * are returned before it is thrown.
   */
  read(): Promise<readonly Uint8Array[] | null>;
  cancel(): Promise<void>;
};

/**
 * Direct readers for bodies of `createIncomingBody`, which bypass their web stream; keyed by that
 * stream.
 */
const shortWays = new WeakMap<ReadableStream, BodyReader["read"]>();

/**
 * Locks a body for one reader. Bodies from our own sockets are read without their web stream, whose
 * promises cost more than a word.
 */
export function takeBody(body: ReadableStream<Uint8Array>): BodyReader {
  const reader = body.getReader();
  const longWay = async (): Promise<readonly Uint8Array[] | null> => {
    const { done, value } = await reader.read();
    return done ? null : [value];
  };
  return { read: shortWays.get(body) ?? longWay, cancel: () => reader.cancel() };
}

/** The response stream's control over the connection: slow it down, or abort it. */
export type Tap = { pause(): void; resume(): void; abort(reason: unknown): void };

/**
 * Creates a web stream of the response that loses nothing: bytes received before an error are read
 * before the error is thrown, while a plain stream drops its queue when it fails, and with it the
 * last words of a broken answer. It pauses the sender when more than `highWaterMark` bytes are
 * queued, and fails beyond `mostBytes`.
 */
export function createIncomingBody(
  tap: Tap,
  options: { mostBytes: number; tooLarge: () => Error; highWaterMark?: number },
) {
  const { mostBytes, highWaterMark = 256 * 1024 } = options;
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let waitingBytes = 0;
  let seenBytes = 0;
  let end: { error?: unknown } | null = null;
  let wake: (() => void) | null = null;
  const notify = () => {
    wake?.();
    wake = null;
  };
  const finish = (outcome: { error?: unknown }) => {
    end ??= outcome;
    notify();
  };
  const arrival = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        while (waiting.length === 0 && end === null) await arrival();
        const chunk = waiting.shift();
        if (chunk) {
          waitingBytes -= chunk.byteLength;
          if (waitingBytes < highWaterMark / 2) tap.resume();
          controller.enqueue(chunk);
        } else if (end && "error" in end) controller.error(end.error);
        else controller.close();
      },
      cancel(reason) {
        waiting = [];
        tap.abort(reason ?? new DOMException("The reader left.", "AbortError"));
      },
    },
    { highWaterMark: 0 },
  );
  shortWays.set(stream, async () => {
    while (waiting.length === 0 && end === null) await arrival();
    if (waiting.length === 0) {
      if (end && "error" in end) throw end.error;
      return null;
    }
    const pieces = waiting;
    const isPaused = waitingBytes > highWaterMark;
    [waiting, waitingBytes] = [[], 0];
    // Resuming may deliver data before it returns.
    if (isPaused) tap.resume();
    return pieces;
  });
  return {
    stream,
    push(chunk: Uint8Array) {
      if (end) return;
      seenBytes += chunk.byteLength;
      if (seenBytes > mostBytes) {
        const error = options.tooLarge();
        finish({ error });
        tap.abort(error);
        return;
      }
      // The parser doesn't reuse its buffers, so no copy is made.
      waiting.push(chunk as Uint8Array<ArrayBuffer>);
      waitingBytes += chunk.byteLength;
      if (waitingBytes > highWaterMark) tap.pause();
      notify();
    },
    close: () => finish({}),
    fail: (error: unknown) => finish({ error }),
  };
}

export const isHtml = (response: Response) =>
  /^\s*(text\/html|application\/xhtml)/i.test(response.headers.get("content-type") ?? "");

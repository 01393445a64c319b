import { Problem } from "#contract/errors.ts";

/**
 * The source, refused past `mostBytes` with Problem("too_large") and left at once when the signal aborts, even while the
 * source itself is silent. Empty chunks are dropped. Leaving early closes the source.
 */
export async function* limitSource(
  source: AsyncIterable<Uint8Array>,
  options: { mostBytes?: number; signal?: AbortSignal },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { mostBytes = Number.POSITIVE_INFINITY, signal } = options;
  const reader = source[Symbol.asyncIterator]();
  let stop: ((reason: unknown) => void) | undefined;
  const onAbort = () => stop?.(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  let bytes = 0;
  let isOver = false;
  try {
    while (true) {
      signal?.throwIfAborted();
      // One promise a chunk: racing each against one long-lived promise would keep all of them until the end.
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        stop = reject;
        reader.next().then(resolve, reject);
      });
      if (next.done) {
        isOver = true;
        return;
      }
      bytes += next.value.byteLength;
      if (bytes > mostBytes) throw new Problem("too_large", { mostBytes });
      if (next.value.byteLength > 0) yield next.value;
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // Not awaited: a source that hangs in next() would never come to its return().
    if (!isOver) reader.return?.().catch(() => {});
  }
}

/** Reads up to `most` bytes into memory; `rest` gives all of it again, from the first byte, when there is more. */
export async function readHead(
  source: AsyncGenerator<Uint8Array, void, undefined>,
  most: number,
): Promise<{ whole: Uint8Array } | { rest: AsyncGenerator<Uint8Array, void, undefined> }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= most) {
    const next = await source.next();
    if (next.done) return { whole: Buffer.concat(chunks) };
    chunks.push(next.value);
    bytes += next.value.byteLength;
  }
  return { rest: again(chunks, source) };
}

async function* again(chunks: Uint8Array[], source: AsyncGenerator<Uint8Array, void, undefined>) {
  try {
    for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
    yield* source;
  } finally {
    await source.return();
  }
}

import { limits } from "#contract/limits.ts";
import type { CallContext } from "../adapter.ts";
import { openDownload } from "../outbound/outbound-download.ts";

type Fetch = typeof globalThis.fetch;

/**
 * Opens a file that needs the connection's key. `sign` returns the fetch that adds it. Each
 * iteration sends a new request.
 */
export const openSigned = (
  url: string,
  { signal }: CallContext,
  sign: () => Promise<Fetch>,
): AsyncIterable<Uint8Array> => ({
  async *[Symbol.asyncIterator]() {
    const fetch = await sign();
    yield* (await openDownload({ fetch, url, mostBytes: limits.outputBytes, signal })).stream;
  },
});

/** Returns a fetch that adds these headers to every request. */
export const withHeaders =
  (fetch: Fetch, headers: Readonly<Record<string, string>>): Fetch =>
  (address, init) =>
    fetch(address, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers },
    });

/** Both ends included and counted from 0, as in HTTP's Range. */
export type ByteRange = { start: number; end: number };

export type PutOptions = { mostBytes?: number; signal?: AbortSignal; mime?: string };

/**
 * Where bytes are: content-addressed, immutable, never seen half. Names are the SHA-256 of the bytes in lower-case hex.
 * Besides what each method says, `storage_full` means that there is no room and `unavailable` that the storage itself failed.
 */
export type BlobStore = {
  /**
   * Streams to a temporary place while hashing, then keeps it under its SHA-256; equal bytes are not written twice.
   * Throws Problem("too_large") past `mostBytes`, Problem("storage_full"), and the signal's reason when aborted.
   */
  put(
    source: AsyncIterable<Uint8Array>,
    options?: PutOptions,
  ): Promise<{ sha256: string; bytes: number }>;
  stat(sha256: string): Promise<{ bytes: number } | undefined>;
  /** When it was stored, in ms since 1970 by the storage's own clock. */
  storedAt(sha256: string): Promise<number | undefined>;
  /** A range that ends past the last byte ends at it. Throws Problem("not_found"), Problem("invalid_input") for an impossible range. */
  get(sha256: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Removes the bytes and everything derived from them; what is not there is no error. */
  delete(sha256: string): Promise<void>;
  /** Derived files (thumbnails, posters, waveforms), keyed by the source's hash and a name such as "thumb-320.webp". */
  putVariant(sha256: string, variant: string, bytes: Uint8Array): Promise<void>;
  getVariant(sha256: string, variant: string): Promise<Uint8Array | undefined>;
  /** Every stored hash, for the audit; variants are not listed. */
  list(): AsyncIterable<{ sha256: string; bytes: number }>;
  /** Where the bytes are a file of this machine: its path, to be read and never written. Spares a copy to tools that need a file. */
  localPath?(sha256: string): string | Promise<string>;
};

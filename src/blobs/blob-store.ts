/** Both ends included and counted from 0, as in HTTP's Range. */
export type ByteRange = { start: number; end: number };

export type PutOptions = { mostBytes?: number; signal?: AbortSignal; mime?: string };

/**
 * Stores bytes: content-addressed, immutable, never visible half-written. Names are the SHA-256 of the bytes in lower-case hex.
 * Any method may throw `storage_full` (no space left) or `unavailable` (the storage failed).
 */
export type BlobStore = {
  /**
   * Streams to a temporary file while hashing, then saves it under its SHA-256. Equal bytes are not
   * written twice.
   * @throws Problem("too_large") past `mostBytes`, Problem("storage_full"), and the signal's reason
   *   if aborted
   */
  put(
    source: AsyncIterable<Uint8Array>,
    options?: PutOptions,
  ): Promise<{ sha256: string; bytes: number }>;
  stat(sha256: string): Promise<{ bytes: number } | undefined>;
  /** When it was stored, in ms since 1970 by the storage's own clock. */
  storedAt(sha256: string): Promise<number | undefined>;
  /**
   * A range that ends past the last byte ends at it.
   * @throws Problem("not_found"), Problem("invalid_input") for an impossible range
   */
  get(sha256: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Deletes the bytes and everything derived from them. A missing name is no error. */
  delete(sha256: string): Promise<void>;
  /** Derived files (thumbnails, posters, waveforms), keyed by the source's hash and a name such as "thumb-320.webp". */
  putVariant(sha256: string, variant: string, bytes: Uint8Array): Promise<void>;
  getVariant(sha256: string, variant: string): Promise<Uint8Array | undefined>;
  /** Every stored hash, for the audit; variants are not listed. */
  list(): AsyncIterable<{ sha256: string; bytes: number }>;
  /** The path of the bytes if they are a local file. Read-only. Saves a copy for tools that need a file. */
  localPath?(sha256: string): string | Promise<string>;
};

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/**
 * Calls `work` with a function that reads parts of a file, and the file's size. Blocks its thread.
 */
export function withFileBytes<T>(
  path: string,
  work: (readAt: (offset: number, bytes: number) => Uint8Array, size: number) => T,
): T {
  const file = openSync(path, "r");
  try {
    const readAt = (offset: number, bytes: number) => {
      const buffer = Buffer.alloc(bytes);
      return buffer.subarray(0, readSync(file, buffer, 0, bytes, offset));
    };
    return work(readAt, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

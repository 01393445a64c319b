import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Gives work a way to read stretches of a file, and its size. Blocks its thread. */
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

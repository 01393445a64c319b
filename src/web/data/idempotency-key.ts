import { useRef } from "react";

/**
 * Returns a new idempotency key. `crypto.randomUUID` is missing on plain HTTP, which Bottega
 * supports.
 */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** The idempotency key of a request, which stays the same until the request differs or has ended. */
export function useIdempotencyKey() {
  const last = useRef<{ request: string; key: string } | null>(null);
  return {
    keyOf(value: unknown): string {
      const request = JSON.stringify(value);
      if (last.current?.request !== request) last.current = { request, key: newIdempotencyKey() };
      return last.current.key;
    },
    end: (): void => {
      last.current = null;
    },
  };
}

import { useRef } from "react";

/**
 * Returns a new idempotency key. `crypto.randomUUID` is missing on plain HTTP, which Bottega
 * supports.
 */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** The keys of requests that failed. They may have been accepted, with only the reply lost. */
const unanswered = new Map<string, string>();

/**
 * Sends a request under an idempotency key. If it fails, the next equal request has the same key,
 * so that one whose reply was lost isn't paid twice.
 * @throws what `send` throws
 */
export async function sendOnce<Answer>(
  request: unknown,
  send: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  const name = JSON.stringify(request);
  const idempotencyKey = unanswered.get(name) ?? newIdempotencyKey();
  // A second press while the first is on its way is a request of its own.
  unanswered.delete(name);
  try {
    return await send(idempotencyKey);
  } catch (error) {
    unanswered.set(name, idempotencyKey);
    throw error;
  }
}

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

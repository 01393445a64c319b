import { useRef } from "react";
import { isProblem } from "./client.ts";

/**
 * Returns a new idempotency key. `crypto.randomUUID` is missing on plain HTTP, which Bottega
 * supports.
 */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** After this, an equal request counts as a new one. */
const rememberedMs = 10 * 60_000;
/** The keys of requests that failed. They may have been accepted, with only the reply lost. */
const unanswered = new Map<string, { idempotencyKey: string; failedAt: number }>();

/**
 * Sends a request under an idempotency key. If it fails, the next equal request within ten minutes
 * has the same key, so that one whose reply was lost isn't paid twice. What a lost reply was about
 * may have been deleted since: "not_found" ends its key.
 * @throws what `send` throws
 */
export async function sendOnce<Answer>(
  request: unknown,
  send: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  const name = JSON.stringify(request);
  const failed = unanswered.get(name);
  const isRecent = failed !== undefined && performance.now() - failed.failedAt < rememberedMs;
  const idempotencyKey = isRecent ? failed.idempotencyKey : newIdempotencyKey();
  // A second press while the first is on its way is a request of its own.
  unanswered.delete(name);
  try {
    return await send(idempotencyKey);
  } catch (error) {
    const now = performance.now();
    for (const [old, { failedAt }] of unanswered)
      if (now - failedAt >= rememberedMs) unanswered.delete(old);
    if (!isProblem(error, "not_found")) unanswered.set(name, { idempotencyKey, failedAt: now });
    throw error;
  }
}

/**
 * The idempotency key of a request, which stays the same until the request differs or has ended: for
 * one that waits until the server is back, however long.
 */
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

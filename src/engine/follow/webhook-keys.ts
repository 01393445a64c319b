import { sentences } from "#contract/sentences/index.ts";
import type { Clock } from "#domain/runs/ids.ts";
import { ProviderError } from "#providers/adapter.ts";

const keptMs = 24 * 60 * 60_000;
/**
 * The shortest time between two requests for keys. Strangers can send webhooks that match no key.
 */
const againMs = 60_000;
const keysBytes = 256 * 1024;

type CachedKeys = {
  keys: readonly JsonWebKey[] | null;
  at: number;
  askedAt: number;
  asking: Promise<readonly JsonWebKey[]>;
};

export type WebhookKeys = (
  url: string,
  call: { fetch: typeof globalThis.fetch; signal: AbortSignal },
  fresh: boolean,
) => Promise<readonly JsonWebKey[]>;

/**
 * Published key sets (RFC 7517), cached by address for a day in this process.
 * @throws ProviderError when a key set can't be read
 */
export function createWebhookKeys(clock: Pick<Clock, "monotonic">): WebhookKeys {
  const known = new Map<string, CachedKeys>();
  return async (url, call, fresh) => {
    const now = clock.monotonic();
    const kept = known.get(url);
    if (kept?.keys && now - kept.at < keptMs && !(fresh && now - kept.askedAt >= againMs))
      return kept.keys;
    if (kept && now - kept.askedAt < againMs) return kept.asking;
    const entry: CachedKeys = {
      keys: kept?.keys ?? null,
      at: kept?.at ?? now,
      askedAt: now,
      asking: readKeys(url, call),
    };
    known.set(url, entry);
    entry.keys = await entry.asking;
    entry.at = now;
    return entry.keys;
  };
}

async function readKeys(
  url: string,
  { fetch, signal }: Parameters<WebhookKeys>[1],
): Promise<readonly JsonWebKey[]> {
  const response = await fetch(url, { signal, headers: { accept: "application/json" } });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > keysBytes)
      throw new ProviderError("provider_protocol", "no", {
        message: sentences.webhooks.keyListTooLong,
      });
    chunks.push(chunk);
  }
  if (!response.ok)
    throw new ProviderError("provider_unreachable", "no", { httpStatus: response.status });
  try {
    const { keys } = JSON.parse(Buffer.concat(chunks).toString()) as { keys: unknown };
    if (Array.isArray(keys))
      return keys.filter((key): key is JsonWebKey => typeof key === "object" && key !== null);
  } catch {
    // The body isn't JSON, which is reported below.
  }
  throw new ProviderError("provider_protocol", "no", {
    message: sentences.webhooks.keyListInvalid,
  });
}

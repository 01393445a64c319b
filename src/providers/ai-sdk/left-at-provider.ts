import { ProviderError } from "../adapter.ts";
import { isRecord } from "../wire/error-fields.ts";

/** Checks that an id is safe to use as a path segment. */
export const isId = (id: unknown): id is string =>
  typeof id === "string" && /^[\w-]{1,200}$/.test(id);

/**
 * Returns the newest container or store that an earlier answer recorded, unless it expires before
 * `now`.
 */
export function leftBefore(
  turns: readonly { parts: readonly { type: string; data?: unknown }[] }[],
  name: "container" | "store",
  now: number,
): Record<string, unknown> | undefined {
  const left = turns
    .flatMap(({ parts }) => parts)
    .flatMap(({ type, data }) =>
      type === "tool-record" && isRecord(data) && isRecord(data[name]) ? [data[name]] : [],
    )
    .at(-1);
  return left && isId(left.id) && Number(left.expiresAt) > now ? left : undefined;
}

/**
 * Marks the error of a request that named a container or store which is gone or belongs to the
 * connection's previous key. The engine repeats such a request without records.
 */
export function forgottenBy(error: unknown, isIts: (error: ProviderError) => boolean): unknown {
  if (!(error instanceof ProviderError) || error.accepted !== "no" || !isIts(error)) return error;
  const detail = { ...error.detail, forgotten: true };
  return new ProviderError(error.code, "no", detail, { cause: error });
}

import type { Conversation } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";

const dayMs = 24 * 60 * 60_000;

/**
 * The whole days until a trashed conversation is deleted, counting the last day until it is over.
 * @param now lags by up to 30 seconds, so it may precede the move to the trash
 */
export function daysLeft({ trashedAt }: Pick<Conversation, "trashedAt">, now: number): number {
  const since = trashedAt ?? 0;
  return Math.max(0, Math.ceil((since + limits.trashMs - Math.max(now, since)) / dayMs));
}

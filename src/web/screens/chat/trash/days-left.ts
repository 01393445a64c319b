import type { Conversation } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";

const dayMs = 24 * 60 * 60_000;

/**
 * Whole days until a conversation in the trash is deleted, the last one counted until it is over.
 * @param now known to half a minute: it may lie before the move to the trash
 */
export function daysLeft({ trashedAt }: Pick<Conversation, "trashedAt">, now: number): number {
  const since = trashedAt ?? 0;
  return Math.max(0, Math.ceil((since + limits.trashMs - Math.max(now, since)) / dayMs));
}

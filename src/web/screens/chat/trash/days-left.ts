import type { Conversation } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";

const dayMs = 24 * 60 * 60_000;

/** Whole days until a conversation in the trash is deleted, the last one counted until it is over. */
export const daysLeft = ({ trashedAt }: Pick<Conversation, "trashedAt">, now: number): number =>
  Math.max(0, Math.ceil(((trashedAt ?? 0) + limits.trashMs - now) / dayMs));

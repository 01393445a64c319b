import { type MessageId, t } from "../../messages/t.ts";

/** A line for each count that is not zero. */
export const countLines = (counts: readonly (readonly [MessageId, number])[]): string[] =>
  counts.flatMap(([id, count]) => (count > 0 ? [t(id, { count })] : []));

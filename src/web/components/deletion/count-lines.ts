import { type MessageId, t } from "../../messages/t.ts";

/** A line for each nonzero count. */
export const countLines = (counts: readonly (readonly [MessageId, number])[]): string[] =>
  counts.flatMap(([id, count]) => (count > 0 ? [t(id, { count })] : []));

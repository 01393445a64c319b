import type { MessageNode } from "../../../data/queries/conversation.queries.ts";
import { type Entry, entriesOf } from "../answer/whole-answer.ts";
import type { BranchContext } from "../context/branch-context.ts";

/** A row of the thread: an item, or one of the lines between and below the items. */
export type ThreadRow =
  | { kind: "entry"; key: string; entry: Entry<MessageNode>; isLeftOut: boolean }
  | { kind: "context"; key: string }
  | { kind: "coming"; key: string }
  | { kind: "pending"; key: string };

/**
 * The rows of a branch, oldest first: what is left out if it is shown, the line that says so, what is sent, with a summary that is
 * still written after what it sums up, and a message that is on its way.
 */
export function rowsOf(
  { leftOut, sent, coming }: Pick<BranchContext, "leftOut" | "sent" | "coming">,
  { isShown, isPending }: { isShown: boolean; isPending: boolean },
): ThreadRow[] {
  const place = coming ? sent.findIndex(({ id }) => id === coming.parentId) + 1 : 0;
  const rows = (nodes: readonly MessageNode[], isLeftOut = false) =>
    entriesOf(nodes).map(
      (entry): ThreadRow => ({ kind: "entry", key: entry[0].id, entry, isLeftOut }),
    );
  return [
    ...(isShown ? rows(leftOut, true) : []),
    ...(leftOut.length > 0 ? [{ kind: "context", key: "context" } as const] : []),
    ...rows(sent.slice(0, place)),
    ...(coming ? [{ kind: "coming", key: "coming" } as const] : []),
    ...rows(sent.slice(place)),
    ...(isPending ? [{ kind: "pending", key: "pending" } as const] : []),
  ];
}

/** The place of the row with a message; -1 where it is in none. */
export const placeOfMessage = (
  rows: readonly ThreadRow[],
  messageId: string | undefined,
): number =>
  messageId === undefined
    ? -1
    : rows.findIndex((row) => row.kind === "entry" && row.entry.some(({ id }) => id === messageId));

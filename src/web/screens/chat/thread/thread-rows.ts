import type { MessageNode } from "../../../data/queries/conversation.queries.ts";
import type { BranchContext } from "../context/branch-context.ts";
import { type AnswerColumn, columnsOf } from "./answer-groups.ts";
import { type Entry, entriesOf } from "./entries.ts";
import type { MessageTree } from "./message-tree.ts";

/** A row of the thread: an item, or one of the lines between and below the items. */
export type ThreadRow =
  | { kind: "entry"; key: string; entry: Entry<MessageNode>; isLeftOut: boolean }
  | {
      kind: "answers";
      key: string;
      questionId: string | null;
      columns: readonly AnswerColumn[];
      /**
       * The messages of the branch that are in one of the columns; empty if the branch continues
       * from a merged answer.
       */
      onBranch: readonly MessageNode[];
      isLeftOut: boolean;
    }
  | { kind: "context"; key: string }
  | { kind: "forked"; key: "forked" }
  | { kind: "coming"; key: string }
  | { kind: "pending"; key: string };

/**
 * A branch's rows, oldest first: the left-out part if it is shown, the line that marks it, the sent
 * part, with a streaming summary after the messages that it summarizes, and a pending message.
 */
export function rowsOf(
  { leftOut, sent, coming }: Pick<BranchContext, "leftOut" | "sent" | "coming">,
  {
    tree,
    isShown,
    isPending,
    forkedUpTo,
  }: {
    tree: MessageTree;
    isShown: boolean;
    isPending: boolean;
    /** For a fork: the last copied message; null if it was deleted. */
    forkedUpTo?: string | null | undefined;
  },
): ThreadRow[] {
  const place = coming ? sent.findIndex(({ id }) => id === coming.parentId) + 1 : 0;
  const rows = (nodes: readonly MessageNode[], isLeftOut = false) =>
    entriesOf(nodes).flatMap((entry): ThreadRow[] => {
      const [first] = entry;
      const own: ThreadRow = { kind: "entry", key: first.id, entry, isLeftOut };
      if (!first.group) return [own];
      const { id, column } = first.group;
      const { parentId: questionId } = first;
      const answers: ThreadRow = {
        kind: "answers",
        key: `answers ${id}`,
        questionId,
        columns: columnsOf(tree, questionId, id),
        onBranch: column === null ? [] : entry,
        isLeftOut,
      };
      return column === null ? [answers, own] : [answers];
    });
  const all: ThreadRow[] = [
    ...(isShown ? rows(leftOut, true) : []),
    ...(leftOut.length > 0 ? [{ kind: "context", key: "context" } as const] : []),
    ...rows(sent.slice(0, place)),
    ...(coming ? [{ kind: "coming", key: "coming" } as const] : []),
    ...rows(sent.slice(place)),
    ...(isPending ? [{ kind: "pending", key: "pending" } as const] : []),
  ];
  if (forkedUpTo === undefined) return all;
  // If the branch leaves the copied one earlier, the line comes first.
  const after = placeOfMessage(all, forkedUpTo ?? undefined) + 1;
  return all.toSpliced(after, 0, { kind: "forked", key: "forked" });
}

/** The index of the row with a message; -1 if no row contains it. */
export const placeOfMessage = (
  rows: readonly ThreadRow[],
  messageId: string | undefined,
): number =>
  messageId === undefined
    ? -1
    : rows.findIndex(
        (row) =>
          (row.kind === "entry" && row.entry.some(({ id }) => id === messageId)) ||
          (row.kind === "answers" && row.onBranch.some(({ id }) => id === messageId)),
      );

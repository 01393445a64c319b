import { groupBy } from "../../../data/group-by.ts";
import type { MessageNode } from "../../../data/queries/conversation.queries.ts";

/**
 * A conversation's messages by id and by parent. Siblings are in the order in which they were sent.
 */
export type MessageTree<Of extends MessageNode = MessageNode> = {
  byId: ReadonlyMap<string, Of>;
  /** The key of the roots is "". */
  children: ReadonlyMap<string, readonly Of[]>;
};

/** A message's position among its siblings. `place` counts from 1. */
export type Siblings = { place: number; ids: readonly string[] };

export function buildTree<Of extends MessageNode>(messages: readonly Of[]): MessageTree<Of> {
  const byId = new Map(messages.map((message) => [message.id, message]));
  // Ids are UUIDv7, so their order is chronological. Messages with the role "context" are on no
  // branch.
  const inOrder = messages
    .filter(({ role }) => role !== "context")
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return { byId, children: groupBy(inOrder, (message) => message.parentId ?? "") };
}

/** From the root to this message, oldest first; empty for an unknown id. */
export function branchTo<Of extends MessageNode>(
  tree: MessageTree<Of>,
  messageId: string | null,
): Of[] {
  const branch: Of[] = [];
  const seen = new Set<string>();
  let message = messageId === null ? undefined : tree.byId.get(messageId);
  while (message && !seen.has(message.id)) {
    seen.add(message.id);
    branch.push(message);
    message = message.parentId === null ? undefined : tree.byId.get(message.parentId);
  }
  return branch.reverse();
}

/** The end of the newest branch below a message, shown when a person switches to it. */
export function newestLeaf(tree: MessageTree, messageId: string): string {
  let leaf = messageId;
  for (let next = tree.children.get(leaf)?.at(-1); next; next = tree.children.get(leaf)?.at(-1))
    leaf = next.id;
  return leaf;
}

export function siblingsOf(tree: MessageTree, message: MessageNode): Siblings {
  const ids = (tree.children.get(message.parentId ?? "") ?? [])
    .filter(({ role }) => role === message.role)
    .map(({ id }) => id);
  return { place: ids.indexOf(message.id) + 1, ids };
}

/** The number of leaves in the tree. */
export const countBranches = (tree: MessageTree): number =>
  [...tree.byId.values()].filter(({ id, role }) => role !== "context" && !tree.children.has(id))
    .length;

/**
 * The branch on screen: the one that ends at the conversation's head, unless the address names a
 * message outside of it (a search hit, or a branch that a viewer opens without moving the author's
 * head).
 */
export function shownBranch<Of extends MessageNode>(
  tree: MessageTree<Of>,
  headId: string | null,
  askedId: string | undefined,
): Of[] {
  const branch = branchTo(tree, headId);
  const asked = tree.byId.get(askedId ?? "");
  // A summary's branch ends where the summary was made.
  if (asked?.role === "context") return shownBranch(tree, headId, asked.parentId ?? undefined);
  if (askedId === undefined || !asked || branch.some(({ id }) => id === askedId)) return branch;
  return branchTo(tree, newestLeaf(tree, askedId));
}

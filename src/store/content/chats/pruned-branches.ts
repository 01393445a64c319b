import type { Conversation, Message } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isOneOf } from "../../database/is-one-of.ts";
import { toJson } from "../../database/json.ts";
import { prepared } from "../../database/prepared.ts";
import type { Tx } from "../../database/store.ts";
import type { Unit } from "../../runs/unit.ts";
import { lockConversation, moveConversation, notifyConversation } from "../conversations.ts";
import { updateSharedRuns } from "./shared-runs.ts";

type Node = Pick<Message, "id" | "parentId" | "role" | "state"> & { trashedAt: number | null };

const nodeRows = prepared((db, { conversationId }: { conversationId: string }) =>
  db
    .selectFrom("message")
    .select(["id", "parent_id as parentId", "role", "state", "trashed_at as trashedAt"])
    .where("conversation_id", "=", conversationId)
    .orderBy("id"),
);
const livingRow = prepared((db, { id }: { id: string }) =>
  db.selectFrom("message").select("id").where("id", "=", id).where("trashed_at", "is", null),
);
/** The most messages listed in a notice to open tabs: messages on screen are among the newest. */
const maxNamed = 20;

/**
 * Whether a message still exists, for a unit that writes below it: it may have been deleted since
 * it was read.
 */
export const isLiving = async (tx: Tx, messageId: string): Promise<boolean> =>
  (await livingRow(tx, { id: messageId })).length > 0;

/** Returns a message and everything below it, oldest first. */
function treeBelow(nodes: readonly Node[], messageId: string): Node[] {
  const ids = new Set([messageId]);
  // Oldest first, so that a message comes after its parent.
  return nodes.filter((node) => {
    const isIn = ids.has(node.id) || (node.parentId !== null && ids.has(node.parentId));
    if (isIn) ids.add(node.id);
    return isIn;
  });
}

function newestLeaf(nodes: readonly Node[], id: string): string {
  const below = treeBelow(
    nodes.filter(({ role }) => role !== "context"),
    id,
  );
  const newestChild = new Map(below.map((node) => [node.parentId, node.id]));
  let leaf = id;
  for (let next = newestChild.get(leaf); next; next = newestChild.get(leaf)) leaf = next;
  return leaf;
}

/**
 * Returns the message to show once these are gone: the end of the newest sibling branch, or else
 * the parent.
 */
function headWithout(left: readonly Node[], { parentId }: Node): string | null {
  const beside = left.findLast((node) => node.parentId === parentId && node.role !== "context");
  return beside ? newestLeaf(left, beside.id) : parentId;
}

async function change(
  unit: Unit,
  conversation: Conversation,
  nodes: readonly Node[],
  trashedAt: number | null,
): Promise<void> {
  await unit.tx
    .updateTable("message")
    .set({ trashed_at: trashedAt })
    .where(isOneOf(unit.tx, "id", toJson(nodes.map(({ id }) => id))))
    .execute();
  for (const { id } of [nodes[0]!, ...nodes.slice(1).slice(-maxNamed)])
    notifyConversation(unit, conversation, id);
}

/**
 * Moves a message and everything below it to the trash. Its runs and their costs stay. In a shared
 * conversation, the runs and their results become private to their author.
 * @throws Problem not_found; conflict while an answer below is being written, and for a part of an
 *   answer
 */
export async function pruneBranch(
  unit: Unit,
  { conversationId, id }: Pick<Message, "conversationId" | "id">,
): Promise<{ headMessageId: string | null; removed: number }> {
  const conversation = await lockConversation(unit.tx, conversationId);
  const nodes = await listLiving(unit.tx, conversationId);
  const first = nodes.find((node) => node.id === id);
  if (!conversation || !first || first.role === "context") throw new Problem("not_found");
  const parent = nodes.find((node) => node.id === first.parentId);
  if (first.role === "tool" || parent?.role === "tool")
    throw new Problem("conflict", { message: sentences.chat.pruneInside });
  const gone = treeBelow(nodes, id);
  if (gone.some(({ state }) => state === "streaming"))
    throw new Problem("conflict", { message: sentences.chat.pruneRunning });
  await change(unit, conversation, gone, unit.at);
  await updateSharedRuns(unit, conversationId);
  const ids = new Set(gone.map((node) => node.id));
  const { headMessageId: head } = conversation;
  const headMessageId =
    head !== null && ids.has(head)
      ? headWithout(
          nodes.filter((node) => !ids.has(node.id)),
          first,
        )
      : head;
  await moveConversation(unit, conversation, { headMessageId });
  return { headMessageId, removed: gone.filter(({ role }) => role !== "context").length };
}

/**
 * Restores a message from the trash with everything deleted along with it, and shows its newest
 * branch. Its runs become as visible as the conversation, which may have been shared without them.
 * @throws Problem not_found; conflict while its parent is in the trash
 */
export async function restoreBranch(
  unit: Unit,
  { conversationId, messageId }: { conversationId: string; messageId: string },
): Promise<void> {
  const conversation = await lockConversation(unit.tx, conversationId);
  const nodes: readonly Node[] = await nodeRows(unit.tx, { conversationId });
  const first = nodes.find(({ id }) => id === messageId);
  if (!conversation || !first) throw new Problem("not_found");
  const { trashedAt, parentId } = first;
  if (trashedAt === null) return;
  const parent = nodes.find(({ id }) => id === parentId);
  if (parentId !== null && (parent?.trashedAt ?? null) !== null)
    throw new Problem("conflict", { message: sentences.chat.pruneAbove });
  const back = treeBelow(
    nodes.filter((node) => node.trashedAt === trashedAt),
    messageId,
  );
  await change(unit, conversation, back, null);
  await updateSharedRuns(unit, conversationId);
  await moveConversation(unit, conversation, { headMessageId: newestLeaf(back, messageId) });
}

const listLiving = async (tx: Tx, conversationId: string): Promise<Node[]> =>
  (await nodeRows(tx, { conversationId })).filter(({ trashedAt }) => trashedAt === null);

/**
 * Deletes messages that have been in the trash long enough.
 * @returns whether more may be left
 */
export async function purgeMessages(tx: Tx, before: number, most: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("message")
    .where("id", "in", (e) =>
      e
        .selectFrom("message")
        .select("id")
        .where("trashed_at", "<", before)
        .orderBy("trashed_at")
        .limit(most),
    )
    .executeTakeFirst();
  return Number(numDeletedRows) === most;
}

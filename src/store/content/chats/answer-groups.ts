import type { Message } from "#contract/entities.ts";
import { prepared } from "../../database/prepared.ts";
import type { Reader } from "../../database/store.ts";
import type { Unit } from "../../runs/unit.ts";
import {
  lockConversation,
  moveConversation,
  notifyConversation,
  toMessage,
} from "../conversations.ts";

const groupRows = prepared((db, { groupId }: { groupId: string }) =>
  db
    .selectFrom("message")
    .selectAll()
    .where("ask_group", "=", groupId)
    .where("trashed_at", "is", null)
    .orderBy("id"),
);
const linkRows = prepared((db, { conversationId }: { conversationId: string }) =>
  db
    .selectFrom("message")
    .select(["id", "parent_id", "role"])
    .where("conversation_id", "=", conversationId)
    .where("trashed_at", "is", null)
    .orderBy("id"),
);

/**
 * Lists the answers that were requested side by side, with their replacements and merged answers,
 * oldest first.
 */
export async function listAnswerGroup(db: Reader, groupId: string): Promise<Message[]> {
  return (await groupRows(db, { groupId })).map(toMessage);
}

/**
 * Picks the answer of a group that the conversation continues from, and shows the newest branch
 * below it.
 */
export async function pickAnswer(
  unit: Unit,
  { id, conversationId, group }: Pick<Message, "id" | "conversationId" | "group">,
): Promise<void> {
  const { tx, at } = unit;
  const conversation = await lockConversation(tx, conversationId);
  if (!conversation || !group) return;
  for (const answer of await listAnswerGroup(tx, group.id)) {
    const pickedAt = answer.id === id ? at : null;
    if (answer.group?.pickedAt === pickedAt) continue;
    await tx
      .updateTable("message")
      .set({ picked_at: pickedAt })
      .where("id", "=", answer.id)
      .execute();
    notifyConversation(unit, conversation, answer.id);
  }
  const headMessageId = await newestBelow(tx, conversationId, id);
  await moveConversation(unit, conversation, { headMessageId, updatedAt: at });
}

/** Returns the last message of the newest branch below a message. Ids are in time order. */
async function newestBelow(db: Reader, conversationId: string, id: string): Promise<string> {
  const newestChild = new Map<string, string>();
  for (const row of await linkRows(db, { conversationId }))
    if (row.parent_id !== null && row.role !== "context") newestChild.set(row.parent_id, row.id);
  let leaf = id;
  for (let next = newestChild.get(leaf); next; next = newestChild.get(leaf)) leaf = next;
  return leaf;
}

import { sql } from "kysely";
import { limits } from "#contract/limits.ts";
import { isOneOf } from "../../database/is-one-of.ts";
import { toJson } from "../../database/json.ts";
import type { Reader, Tx } from "../../database/store.ts";
import { eraseContent } from "../../runs/ended-runs.ts";
import type { Unit } from "../../runs/unit.ts";
import { updateAssets } from "../assets.ts";
import { lockConversation, notifyConversation } from "../conversations.ts";

/** Lists temporary chats that were closed, or whose last message is a day old. */
export async function listOverTemporary(db: Reader, at: number, limit: number): Promise<string[]> {
  const temporary = db
    .selectFrom("conversation")
    .select("id")
    .where("temporary", "=", sql.lit(1))
    .limit(limit);
  // Two queries, each with its own small index: one query for both would read all conversations.
  const closed = await temporary.where("trashed_at", ">", 0).execute();
  const old = await temporary.where("updated_at", "<", at - limits.temporaryChatMs).execute();
  return [...new Set([...closed, ...old].map(({ id }) => id))];
}

const messagesOf = (tx: Tx, conversationId: string) =>
  tx
    .selectFrom("message")
    .select(["id", "state"])
    .where("conversation_id", "=", conversationId)
    .orderBy("id")
    .execute();

/** Lists the runs of a conversation: its answers, their tools, and results made from them. */
export const listRunsOfConversation = (
  db: Reader,
  conversationId: string,
): Promise<{ id: string; finishedAt: number | null }[]> =>
  db
    .selectFrom("message")
    .innerJoin("run", "run.message_id", "message.id")
    .select(["run.id", "run.finished_at as finishedAt"])
    .where("message.conversation_id", "=", conversationId)
    .orderBy("run.id")
    .execute();

/**
 * Deletes a temporary chat: its messages, its files, and the requests and answers of its runs. The
 * runs themselves and their costs stay in the ledger.
 * @returns false while an answer is being written
 */
export async function deleteTemporary(unit: Unit, id: string): Promise<boolean> {
  const { tx, at } = unit;
  const runs = await listRunsOfConversation(tx, id);
  if (runs.some(({ finishedAt }) => finishedAt === null)) return false;
  // Runs are locked before their conversation, as in their settlement.
  for (const run of runs) await eraseContent(unit, run.id);
  const conversation = await lockConversation(tx, id);
  if (!conversation) return true;
  if (conversation.expiresAt === null) throw new Error(`the conversation ${id} is not temporary`);
  const messages = await messagesOf(tx, id);
  if (messages.some(({ state }) => state === "streaming")) return false;
  // The lock keeps new runs out, so check for runs added before it.
  if ((await listRunsOfConversation(tx, id)).length > runs.length) return false;
  const files = await tx
    .selectFrom("asset")
    .select("id")
    .where(isOneOf(tx, "run_id", toJson(runs.map((run) => run.id))))
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  await updateAssets(
    unit,
    files.map((file) => file.id),
    { deletedAt: at },
  );
  await tx.deleteFrom("message").where("conversation_id", "=", id).execute();
  await tx.deleteFrom("conversation").where("id", "=", id).execute();
  notifyConversation(unit, conversation);
  return true;
}

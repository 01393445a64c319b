import { sql } from "kysely";
import { limits } from "#contract/limits.ts";
import { isOneOf } from "../../database/is-one-of.ts";
import { toJson } from "../../database/json.ts";
import type { Reader, Tx } from "../../database/store.ts";
import { eraseContent } from "../../runs/ended-runs.ts";
import type { Unit } from "../../runs/unit.ts";
import { updateAssets } from "../assets.ts";
import { lockConversation, tellOf } from "../conversations.ts";

/** Temporary chats that were closed, or whose last message is a day old. */
export async function listOverTemporary(db: Reader, at: number, limit: number): Promise<string[]> {
  const temporary = db
    .selectFrom("conversation")
    .select("id")
    .where("temporary", "=", sql.lit(1))
    .limit(limit);
  // Each by its own index of few rows: asked for in one, all conversations are read.
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

/** The runs of a conversation: its answers, their tools, and what was made of them. */
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
 * Deletes a temporary chat: its messages, files, and what its runs were asked and answered. That they ran and what they cost stays
 * in the books.
 * @returns false while an answer is still written
 */
export async function deleteTemporary(unit: Unit, id: string): Promise<boolean> {
  const { tx, at } = unit;
  const runs = await listRunsOfConversation(tx, id);
  if (runs.some(({ finishedAt }) => finishedAt === null)) return false;
  // Runs before their conversation, as their settling takes them.
  for (const run of runs) await eraseContent(unit, run.id);
  const conversation = await lockConversation(tx, id);
  if (!conversation) return true;
  if (conversation.expiresAt === null) throw new Error(`the conversation ${id} is not temporary`);
  const messages = await messagesOf(tx, id);
  if (messages.some(({ state }) => state === "streaming")) return false;
  // Nobody adds to it any more: what was added before is looked at again.
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
  tellOf(unit, conversation);
  return true;
}

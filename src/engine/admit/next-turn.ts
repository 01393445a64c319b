import type { Conversation, Message, ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isLiving } from "#store/content/chats/pruned-branches.ts";
import { findMessage, lockConversation } from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { measureTexts } from "../plan/text-size.ts";
import { type NextMessage, planTurn, prepareTurn, type Turn, type TurnAsk } from "../plan/turn.ts";

export const modelOf = ({ model: ref }: TurnAsk) => ({ ref, task: "chat" as const });

export const noNewMessage = { messageSize: measureTexts([]), assetIds: [] };

/**
 * Plans the next answer of a conversation: checks and prices it.
 * @throws Problem as planTurn and prepareTurn do
 */
export const nextTurn = async (
  deps: EngineDeps,
  asker: Asker,
  conversation: Conversation,
  model: ModelDetail,
  { settings }: TurnAsk,
  saying: NextMessage,
): Promise<Turn> =>
  prepareTurn(
    deps,
    asker,
    await planTurn(deps, asker, model, {
      ...saying,
      projectId: conversation.projectId,
      conversation,
      settings,
    }),
  );

/**
 * Locks the conversation in the unit that writes to it.
 * @throws Problem not_found; conflict if it is in the trash, where the answer would be deleted with
 *   it
 */
export async function requireConversation(tx: Tx, id: string): Promise<Conversation> {
  const conversation = await lockConversation(tx, id);
  if (!conversation) throw new Problem("not_found");
  if (conversation.trashedAt !== null && conversation.expiresAt !== null)
    throw new Problem("not_found");
  if (conversation.trashedAt !== null)
    throw new Problem("conflict", { message: sentences.chat.inTrash });
  return conversation;
}

/**
 * Reads a message on a branch of this conversation.
 * @throws Problem not_found
 */
export async function requireMessage(
  deps: EngineDeps,
  conversationId: string,
  messageId: string,
): Promise<Message> {
  const message = await findMessage(deps.store.read, messageId);
  if (message?.conversationId !== conversationId || message.role === "context")
    throw new Problem("not_found", {
      message: sentences.chat.parentMissing,
    });
  return message;
}

/**
 * Checks, in the unit that extends a branch, that its last message wasn't deleted while the answer
 * was planned.
 * @throws Problem not_found
 */
export async function requireLiving(tx: Tx, messageId: string | null): Promise<void> {
  if (messageId !== null && !(await isLiving(tx, messageId)))
    throw new Problem("not_found", { message: sentences.chat.parentMissing });
}

import type { Conversation, Feedback, Message } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isOneOf } from "../../database/is-one-of.ts";
import { fromJson, toJson } from "../../database/json.ts";
import { prepared } from "../../database/prepared.ts";
import type { Reader } from "../../database/store.ts";
import type { Unit } from "../../runs/unit.ts";
import { findMessage, lockConversation, notifyConversation } from "../conversations.ts";

const rowsOf = prepared((db, { ids }: { ids: string }) =>
  db
    .selectFrom("feedback")
    .innerJoin("user", "user.id", "feedback.user_id")
    .select([
      "feedback.message_id as messageId",
      "feedback.user_id as userId",
      "user.name as person",
      "feedback.value",
      "feedback.reasons",
      "feedback.text",
      "feedback.at",
    ])
    .where(isOneOf(db, "feedback.message_id", ids))
    .orderBy("feedback.at")
    .orderBy("feedback.user_id"),
);

/** Returns the messages with their ratings, oldest first. */
export async function withFeedback(db: Reader, messages: readonly Message[]): Promise<Message[]> {
  const rows = await rowsOf(db, { ids: toJson(messages.map(({ id }) => id)) });
  const given = Map.groupBy(rows, ({ messageId }) => messageId);
  return messages.map((message) => {
    const feedback = given.get(message.id)?.map(({ messageId: _, reasons, ...row }) => ({
      ...row,
      reasons: fromJson<Feedback["reasons"]>(reasons),
    }));
    return feedback ? { ...message, feedback } : message;
  });
}

/**
 * Locks an answer's conversation as it will be when this unit commits: since the rights were
 * checked, it may have been deleted or unshared.
 */
async function lockAnswer(
  unit: Unit,
  userId: string,
  messageId: string,
): Promise<{ conversation: Conversation; message: Message }> {
  const known = await findMessage(unit.tx, messageId);
  const conversation = known && (await lockConversation(unit.tx, known.conversationId));
  const message = conversation && (await findMessage(unit.tx, messageId));
  if (
    !conversation ||
    !message ||
    (conversation.visibility === "author" && conversation.userId !== userId)
  )
    throw new Problem("not_found");
  return { conversation, message };
}

/**
 * @throws Problem not_found; conflict for anything but a finished answer, in a temporary chat and
 *   in the trash
 */
export async function putFeedback(
  unit: Unit,
  person: { id: string; name: string },
  messageId: string,
  given: Pick<Feedback, "value" | "reasons" | "text">,
): Promise<Feedback> {
  const { conversation, message } = await lockAnswer(unit, person.id, messageId);
  if (conversation.expiresAt !== null)
    throw new Problem("conflict", { message: sentences.chat.temporaryNoFeedback });
  if (conversation.trashedAt !== null)
    throw new Problem("conflict", { message: sentences.chat.inTrash });
  if (message.role !== "assistant" || message.state === "streaming")
    throw new Problem("conflict", { message: sentences.chat.feedbackOnAnswers });
  const set = { value: given.value, reasons: toJson(given.reasons), text: given.text, at: unit.at };
  await unit.tx
    .insertInto("feedback")
    .values({ message_id: messageId, user_id: person.id, ...set })
    .onConflict((conflict) => conflict.columns(["message_id", "user_id"]).doUpdateSet(set))
    .execute();
  notifyConversation(unit, conversation, messageId);
  return { userId: person.id, person: person.name, ...given, at: unit.at };
}

/** @throws Problem not_found */
export async function removeFeedback(
  unit: Unit,
  { userId }: { userId: string },
  messageId: string,
): Promise<void> {
  const { conversation } = await lockAnswer(unit, userId, messageId);
  const { numDeletedRows } = await unit.tx
    .deleteFrom("feedback")
    .where("message_id", "=", messageId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (numDeletedRows > 0n) notifyConversation(unit, conversation, messageId);
}

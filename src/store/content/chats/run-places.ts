import type { Reader } from "../../database/store.ts";

/**
 * Finds the message where a run is shown to a person: the message it belongs to, or in a fork a
 * copy of that. The original takes precedence if the person may read it.
 */
export async function findPlaceOfRun(
  db: Reader,
  { messageId, userId }: { messageId: string; userId: string },
): Promise<{ id: string; messageId: string } | undefined> {
  return (
    db
      .selectFrom("message")
      .innerJoin("conversation", "conversation.id", "message.conversation_id")
      .select(["conversation.id", "message.id as messageId"])
      .where((e) => e.or([e("message.id", "=", messageId), e("message.copy_of", "=", messageId)]))
      .where("message.trashed_at", "is", null)
      .where("conversation.trashed_at", "is", null)
      .where((e) =>
        e.or([
          e("conversation.visibility", "=", "project"),
          e("conversation.user_id", "=", userId),
        ]),
      )
      // A copy is newer than its original.
      .orderBy("message.id")
      .limit(1)
      .executeTakeFirst()
  );
}

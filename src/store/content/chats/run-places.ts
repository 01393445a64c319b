import type { Reader } from "../../database/store.ts";

/**
 * Where a run is shown to a person: the message that it wrote, worked or read for, or in a fork the copy of it. The original comes
 * first, for who may read it.
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
      // A copy is younger than its original.
      .orderBy("message.id")
      .limit(1)
      .executeTakeFirst()
  );
}

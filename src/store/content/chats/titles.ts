import { sql } from "kysely";
import type { ModelRef } from "#contract/entities.ts";
import { fromJsonOrNull } from "../../database/json.ts";
import type { Reader, Tx } from "../../database/store.ts";
import type { Unit } from "../../runs/unit.ts";
import { lockConversation, notifyConversation } from "../conversations.ts";

/**
 * Marks a conversation with its first answer as due for a title, if its author chose a model for
 * titles.
 */
export async function markTitleDue(tx: Tx, conversationId: string, userId: string): Promise<void> {
  await tx
    .updateTable("conversation")
    .set((e) => ({
      titling: e
        .case()
        .when(
          e.exists(
            e
              .selectFrom("user")
              .select("id")
              .where("id", "=", userId)
              .where("titleModel", "is not", null),
          ),
        )
        .then(sql.lit("due" as const))
        .else(sql.lit("done" as const))
        .end(),
    }))
    .where("id", "=", conversationId)
    .where("titling", "=", sql.lit("open"))
    .execute();
}

/** Lists conversations that need a title, with the model that each author chose for titles. */
export async function listTitlesDue(
  db: Reader,
  limit: number,
): Promise<{ id: string; model: ModelRef | null }[]> {
  const rows = await db
    .selectFrom("conversation")
    .innerJoin("user", "user.id", "conversation.user_id")
    .select(["conversation.id", "user.titleModel"])
    .where("conversation.titling", "=", sql.lit("due"))
    .orderBy("conversation.id")
    .limit(limit)
    .execute();
  return rows.map(({ id, titleModel }) => ({ id, model: fromJsonOrNull(titleModel) }));
}

/**
 * Claims the title in the unit that requests it.
 * @returns false when another server has claimed it, or the person has set a title meanwhile
 */
export async function takeTitle(tx: Tx, conversationId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("conversation")
    .set({ titling: "asked" })
    .where("id", "=", conversationId)
    .where("titling", "=", sql.lit("due"))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives up on a title from a model; the current one stays. */
export async function leaveTitle(tx: Tx, conversationId: string): Promise<void> {
  await tx
    .updateTable("conversation")
    .set({ titling: "done" })
    .where("id", "=", conversationId)
    .where("titling", "=", sql.lit("due"))
    .execute();
}

/**
 * Writes the result of a title's run. The current title stays when the run gave none or the person
 * has set one since.
 */
export async function writeTitle(
  unit: Unit,
  conversationId: string,
  title: string | null,
): Promise<void> {
  const conversation = await lockConversation(unit.tx, conversationId);
  if (!conversation) return;
  const { numUpdatedRows } = await unit.tx
    .updateTable("conversation")
    .set({ titling: "done", ...(title !== null && { title }) })
    .where("id", "=", conversationId)
    .where("titling", "=", sql.lit("asked"))
    .executeTakeFirst();
  if (numUpdatedRows > 0n && title !== null) notifyConversation(unit, conversation);
}

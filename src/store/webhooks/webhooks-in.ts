import type { Reader, Tx } from "../database/store.ts";

/** What was made of a webhook, once and for all. `event` names what it told, so that ten copies are one. */
export type WebhookIn = { connectionId: string; event: string; outcome: string; at: number };

export async function isWebhookKnown(
  db: Reader,
  connectionId: string,
  event: string,
): Promise<boolean> {
  const query = db
    .selectFrom("webhook_in")
    .select("outcome")
    .where("connection_id", "=", connectionId)
    .where("event_id", "=", event);
  return (await query.executeTakeFirst()) !== undefined;
}

/** @returns false when another copy was first: then the caller's unit has nothing to do */
export async function recordWebhook(
  tx: Tx,
  { connectionId, event, outcome, at }: WebhookIn,
): Promise<boolean> {
  const result = await tx
    .insertInto("webhook_in")
    .values({ connection_id: connectionId, event_id: event, received_at: at, outcome })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function pruneWebhooks(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom("webhook_in").where("received_at", "<", before).execute();
}

import type { Reader, Tx } from "../database/store.ts";

/** The outcome of a provider's webhook. `event` identifies it, so that ten copies count once. */
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

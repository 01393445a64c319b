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

/** Deletes so many at most. @returns whether more may be left */
export async function pruneWebhooks(tx: Tx, before: number, most: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("webhook_in")
    .where((e) =>
      e(
        e.refTuple("connection_id", "event_id"),
        "in",
        e
          .selectFrom("webhook_in")
          .select(["connection_id", "event_id"])
          .where("received_at", "<", before)
          .orderBy("received_at")
          .limit(most)
          .$asTuple("connection_id", "event_id"),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows) === most;
}

import { sql } from "kysely";
import type { Reader, Tx } from "../database/store.ts";

/** The outcome of a provider's webhook. `event` identifies it, so that ten copies count once. */
export type WebhookIn = { connectionId: string; event: string; outcome: string; at: number };

/**
 * The outcome of a webhook until its run has ended and its job was read. The run's attempt has the
 * job's id.
 */
export const waiting = "waits";

/** Whether a copy has a final outcome. Each further copy of a waiting one is processed again. */
export async function isWebhookTaken(
  db: Reader,
  connectionId: string,
  event: string,
): Promise<boolean> {
  const query = db
    .selectFrom("webhook_in")
    .select("outcome")
    .where("connection_id", "=", connectionId)
    .where("event_id", "=", event)
    .where("outcome", "!=", waiting);
  return (await query.executeTakeFirst()) !== undefined;
}

/**
 * Records a webhook, or the final outcome of one that waited.
 * @returns false when another copy was recorded first, and then the caller's unit has nothing to do
 */
export async function recordWebhook(
  tx: Tx,
  { connectionId, event, outcome, at }: WebhookIn,
): Promise<boolean> {
  const result = await tx
    .insertInto("webhook_in")
    .values({ connection_id: connectionId, event_id: event, received_at: at, outcome })
    .onConflict((conflict) =>
      conflict
        .columns(["connection_id", "event_id"])
        .doUpdateSet({ outcome })
        .where("webhook_in.outcome", "=", waiting),
    )
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/**
 * A webhook received while its run was open, with the attempt it belongs to. `id` is the provider's
 * job id.
 */
export type WaitingWebhook = {
  id: string;
  connectionId: string;
  runId: string;
  attempt: number;
  receivedAt: number;
};

/** Lists waiting webhooks whose run has ended, by id, one page after an id. */
export function listWaiting(db: Reader, after: string, limit: number): Promise<WaitingWebhook[]> {
  return db
    .selectFrom("webhook_in")
    .innerJoin("attempt", "attempt.provider_request_id", "webhook_in.event_id")
    .innerJoin("run", "run.id", "attempt.run_id")
    .select([
      "webhook_in.event_id as id",
      "webhook_in.connection_id as connectionId",
      "attempt.run_id as runId",
      "attempt.number as attempt",
      "webhook_in.received_at as receivedAt",
    ])
    .where("webhook_in.outcome", "=", sql.lit(waiting))
    .where("webhook_in.event_id", ">", after)
    .where("run.finished_at", "is not", null)
    .orderBy("webhook_in.event_id")
    .limit(limit)
    .execute();
}

/** Lists up to `limit` runs with a waiting webhook of the connection, newest first. */
export async function listRunsWaitingFor(
  db: Reader,
  connectionId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("webhook_in")
    .innerJoin("attempt", "attempt.provider_request_id", "webhook_in.event_id")
    .select("attempt.run_id as runId")
    .distinct()
    .where("webhook_in.connection_id", "=", connectionId)
    .where("webhook_in.outcome", "=", sql.lit(waiting))
    .orderBy("runId", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => row.runId);
}

/**
 * Deletes up to `most` webhooks received before a time.
 * @returns whether more may be left
 */
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

import { type ExpressionBuilder, sql } from "kysely";
import { sentences } from "#contract/sentences/index.ts";
import type { DeliveryStatus } from "#contract/webhooks.ts";
import { fromCursor, page } from "../database/cursor.ts";
import { prepared } from "../database/prepared.ts";
import type { Database, WebhookOutRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { selectEndpoints, toEndpoint, type WebhookEndpoint } from "./webhooks.ts";

export type Delivery = {
  id: string;
  endpointId: string;
  event: string;
  payload: string;
  attempts: number;
  nextAt: number;
  status: DeliveryStatus;
  lastError: string | null;
  createdAt: number;
  triedAt: number | null;
  tookMs: number | null;
  httpStatus: number | null;
  answer: string | null;
};
const toDelivery = (row: WebhookOutRow): Delivery => ({
  id: row.id,
  endpointId: row.endpoint_id,
  event: row.event,
  payload: row.payload,
  attempts: row.attempts,
  nextAt: row.next_at,
  status: row.status,
  lastError: row.last_error,
  createdAt: row.created_at,
  triedAt: row.tried_at,
  tookMs: row.took_ms,
  httpStatus: row.http_status,
  answer: row.answer,
});

/**
 * The time at which deliveries are due. `waitsMostMs` lists the longest possible wait by number of
 * attempts; a longer one was written by a clock that has since been set back.
 */
export type Due = { now: number; waitsMostMs: readonly number[] };

const pendingRow = prepared((db) =>
  db.selectNoFrom((e) => [
    e
      .exists(db.selectFrom("webhook_out").select("id").where("status", "=", sql.lit("waiting")))
      .as("deliveries"),
    e
      .exists(
        db.selectFrom("run_webhook").select("run_id").where("status", "=", sql.lit("waiting")),
      )
      .as("calls"),
  ]),
);
/**
 * Which webhooks are pending: those of endpoints (`deliveries`) and those passed along with runs
 * (`calls`). Usually none are.
 */
export async function findPending(db: Reader): Promise<{ deliveries: boolean; calls: boolean }> {
  const [row] = await pendingRow(db, {});
  return { deliveries: Boolean(row?.deliveries), calls: Boolean(row?.calls) };
}

const isDue = (e: ExpressionBuilder<Database, "webhook_out">, { now, waitsMostMs }: Due) =>
  e.and([
    e("status", "=", sql.lit("waiting")),
    e.or([
      e("next_at", "<=", now),
      ...waitsMostMs.map((maxMs, attempts) =>
        e.and([e("attempts", "=", attempts), e("next_at", ">", now + maxMs)]),
      ),
    ]),
  ]);

/**
 * The deliveries of a webhook that one person may see: those about others' private runs are hidden.
 */
const isSeenBy = (e: ExpressionBuilder<Database, "webhook_out">, userId: string) =>
  e.or([e("only_for", "is", null), e("only_for", "=", userId)]);

/** Lists webhooks with a due delivery, except paused ones. */
export async function endpointsWithDue(db: Reader, due: Due): Promise<WebhookEndpoint[]> {
  const rows = await selectEndpoints(db)
    .where("webhook_endpoint.disabled_at", "is", null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("webhook_out")
          .select("webhook_out.id")
          .whereRef("webhook_out.endpoint_id", "=", "webhook_endpoint.id")
          .where((e) => isDue(e, due)),
      ),
    )
    .execute();
  return rows.map(toEndpoint);
}

/**
 * Claims up to `most` due deliveries of a webhook. No other server can claim them until `untilMs`.
 * `makerId` is the owner when the webhook was read; deliveries are claimed only if that hasn't
 * changed.
 */
export async function claimDeliveries(
  tx: Tx,
  claim: Due & { endpointId: string; makerId: string; untilMs: number; most: number },
): Promise<Delivery[]> {
  const { endpointId, makerId, untilMs, most } = claim;
  const due = tx
    .selectFrom("webhook_out")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .where((e) => isDue(e, claim))
    .where((e) => isSeenBy(e, makerId))
    .orderBy("next_at")
    .limit(most);
  const rows = await due.forNoKeyUpdate().execute();
  // Usually another server has just claimed them. Otherwise they were written or tried while the
  // webhook changed its owner.
  if (rows.length === 0) await giveUpOthers(tx, endpointId);
  for (const row of rows)
    await tx
      .updateTable("webhook_out")
      .set({ next_at: untilMs, attempts: row.attempts + 1 })
      .where("id", "=", row.id)
      .execute();
  return rows.map((row) => toDelivery({ ...row, attempts: row.attempts + 1 }));
}

export type DeliveryAttempt = {
  status: DeliveryStatus;
  nextAt: number;
  lastError: string | null;
  triedAt: number;
  tookMs: number;
  httpStatus: number | null;
  answer: string | null;
};
export async function recordTry(tx: Tx, id: string, tried: DeliveryAttempt): Promise<void> {
  await tx
    .updateTable("webhook_out")
    .set({
      status: tried.status,
      next_at: tried.nextAt,
      last_error: tried.lastError,
      tried_at: tried.triedAt,
      took_ms: tried.tookMs,
      http_status: tried.httpStatus,
      answer: tried.answer,
    })
    .where("id", "=", id)
    .execute();
}

/** Gives up the pending deliveries of a webhook: all of them, or those due before `before`. */
export async function giveUpWaiting(
  tx: Tx,
  endpointId: string,
  why: string,
  before?: number,
): Promise<void> {
  let waiting = tx
    .updateTable("webhook_out")
    .set({ status: "given-up", last_error: why })
    .where("endpoint_id", "=", endpointId)
    .where("status", "=", sql.lit("waiting"));
  if (before !== undefined) waiting = waiting.where("created_at", "<", before);
  await waiting.execute();
}

const takenOver = sentences.webhooks.ownerChanged;

/**
 * Erases recorded responses when the webhook's URL changes, because the URL decides who may read
 * them.
 */
export async function forgetAnswers(tx: Tx, endpointId: string): Promise<void> {
  await tx
    .updateTable("webhook_out")
    .set({ answer: null, last_error: null })
    .where("endpoint_id", "=", endpointId)
    .execute();
}

/**
 * Gives up pending deliveries that only a person other than the webhook's current owner may see.
 */
export async function giveUpOthers(tx: Tx, endpointId: string): Promise<void> {
  await tx
    .updateTable("webhook_out")
    .set({ status: "given-up", last_error: takenOver })
    .where("endpoint_id", "=", endpointId)
    .where("status", "=", sql.lit("waiting"))
    .where("only_for", "!=", makerOf)
    .execute();
}
const makerOf = sql<string>`(select created_by from webhook_endpoint where webhook_endpoint.id = webhook_out.endpoint_id)`;

/**
 * Sends a delivery again from the first attempt, under its own id.
 * @returns false when the webhook has no such delivery, when it is already pending, or when either
 *   the requester or the webhook's owner may not see it
 */
export async function requeueDelivery(
  tx: Tx,
  again: { endpointId: string; id: string; by: string; at: number },
): Promise<boolean> {
  const { endpointId, id, by, at } = again;
  const result = await tx
    .updateTable("webhook_out")
    .set({ status: "waiting", attempts: 0, next_at: at, created_at: at })
    .where("id", "=", id)
    .where("endpoint_id", "=", endpointId)
    .where("status", "!=", "waiting")
    .where((e) => isSeenBy(e, by))
    .where((e) => e.or([e("only_for", "is", null), e("only_for", "=", makerOf)]))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Lists a webhook's deliveries that the person may see, newest first. */
export async function listDeliveries(
  db: Reader,
  of: { endpointId: string; seenBy: string; cursor?: string; limit: number },
): Promise<{ deliveries: Delivery[]; next: string | null }> {
  let query = newestFirst(db, of.endpointId).where((e) => isSeenBy(e, of.seenBy));
  if (of.cursor) query = query.where("id", "<", fromCursor(of.cursor, ["string"])[0] as string);
  const rows = await query.limit(of.limit + 1).execute();
  const shown = page(rows, of.limit, (row) => [row.id]);
  return { deliveries: shown.rows.map(toDelivery), next: shown.next };
}

const newestFirst = (db: Reader, endpointId: string) =>
  db
    .selectFrom("webhook_out")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .orderBy("id", "desc");

/**
 * Returns each webhook's newest delivery that the person may see, and the number of pending ones,
 * for the list on screen.
 */
export async function deliveryStandings(
  db: Reader,
  endpointIds: readonly string[],
  seenBy: string,
): Promise<Map<string, { last?: Delivery; waiting: number }>> {
  const standings = new Map<string, { last?: Delivery; waiting: number }>();
  for (const endpointId of endpointIds) {
    const last = await newestFirst(db, endpointId)
      .where((e) => isSeenBy(e, seenBy))
      .limit(1)
      .executeTakeFirst();
    const { waiting } = await db
      .selectFrom("webhook_out")
      .select((e) => e.fn.countAll<number | string>().as("waiting"))
      .where("endpoint_id", "=", endpointId)
      .where("status", "=", sql.lit("waiting"))
      .where((e) => isSeenBy(e, seenBy))
      .executeTakeFirstOrThrow();
    standings.set(endpointId, {
      ...(last && { last: toDelivery(last) }),
      waiting: Number(waiting),
    });
  }
  return standings;
}

/**
 * Deletes up to `most` deliveries that were completed or given up before a time.
 * @returns whether more may be left
 */
export async function pruneDeliveries(tx: Tx, before: number, most: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("webhook_out")
    .where("id", "in", (e) =>
      e
        .selectFrom("webhook_out")
        .select("id")
        .where("status", "!=", "waiting")
        .where("created_at", "<", before)
        .orderBy("created_at")
        .limit(most),
    )
    .executeTakeFirst();
  return Number(numDeletedRows) === most;
}

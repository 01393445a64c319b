import { sql } from "kysely";
import { prepared } from "./prepared.ts";
import type { WebhookEndpointRow, WebhookOutRow } from "./schema.ts";
import type { Reader, Store, Tx } from "./store.ts";

/** An address that wants to be told. `secret` is sealed. */
export type WebhookEndpoint = { id: string; url: string; secret: string; createdAt: number };
const toEndpoint = (row: WebhookEndpointRow): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  secret: row.secret,
  createdAt: row.created_at,
});

export async function insertWebhookEndpoint(
  tx: Tx,
  endpoint: { id: string; url: string; sealedSecret: string; createdBy: string; at: number },
): Promise<void> {
  await tx
    .insertInto("webhook_endpoint")
    .values({
      id: endpoint.id,
      project_id: null,
      url: endpoint.url,
      secret: endpoint.sealedSecret,
      events: JSON.stringify(["budget.warning"]),
      created_by: endpoint.createdBy,
      created_at: endpoint.at,
      disabled_at: null,
    })
    .execute();
}

export async function removeWebhookEndpoint(tx: Tx, id: string): Promise<boolean> {
  return (await tx.deleteFrom("webhook_endpoint").where("id", "=", id).executeTakeFirst()).numDeletedRows > 0n;
}

const endpointRows = prepared((db) => db.selectFrom("webhook_endpoint").selectAll().where("disabled_at", "is", null).orderBy("id"));
export const listWebhookEndpoints = async (db: Reader): Promise<WebhookEndpoint[]> => (await endpointRows(db, {})).map(toEndpoint);

export type Delivery = {
  id: string;
  endpointId: string;
  event: string;
  payload: string;
  attempts: number;
  nextAt: number;
  status: WebhookOutRow["status"];
  lastError: string | null;
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
});

/** One delivery for each address, in the unit of what they tell of: neither is there without the other. */
export async function queueWebhooks(tx: Tx, ids: () => string, event: string, payload: string, at: number): Promise<void> {
  for (const endpoint of await listWebhookEndpoints(tx))
    await tx
      .insertInto("webhook_out")
      .values({
        id: ids(),
        endpoint_id: endpoint.id,
        event,
        payload,
        attempts: 0,
        next_at: at,
        status: "waiting",
        last_error: null,
        created_at: at,
      })
      .execute();
}

const waitingRow = prepared((db) => db.selectFrom("webhook_out").select("id").where("status", "=", sql.lit("waiting")).limit(1));
/** Whether anything is still to be told: mostly nothing is, and then nobody has to write. */
export const isAnyWaiting = async (db: Reader): Promise<boolean> => (await waitingRow(db, {})).length > 0;

/**
 * Takes what is due, so many at once; until `untilMs` no other server takes them too.
 * @param claim.waitsMostMs after how many attempts which wait is the longest: one that seems longer was written by a clock that has been set back since
 */
export async function claimDeliveries(
  store: Store,
  tx: Tx,
  claim: { now: number; untilMs: number; most: number; waitsMostMs: readonly number[] },
): Promise<Delivery[]> {
  const { now, untilMs, most, waitsMostMs } = claim;
  const due = tx
    .selectFrom("webhook_out")
    .selectAll()
    .where("status", "=", "waiting")
    .where((e) =>
      e.or([
        e("next_at", "<=", now),
        ...waitsMostMs.map((mostMs, attempts) => e.and([e("attempts", "=", attempts), e("next_at", ">", now + mostMs)])),
      ]),
    )
    .orderBy("next_at")
    .limit(most);
  const rows = await store.forUpdate(due).execute();
  for (const row of rows)
    await tx
      .updateTable("webhook_out")
      .set({ next_at: untilMs, attempts: row.attempts + 1 })
      .where("id", "=", row.id)
      .execute();
  return rows.map((row) => toDelivery({ ...row, attempts: row.attempts + 1 }));
}

export async function updateDelivery(
  tx: Tx,
  id: string,
  change: { status: WebhookOutRow["status"]; nextAt: number; lastError: string | null },
): Promise<void> {
  await tx
    .updateTable("webhook_out")
    .set({ status: change.status, next_at: change.nextAt, last_error: change.lastError })
    .where("id", "=", id)
    .execute();
}

/** The newest delivery of each address: what its line on the screen says. */
export async function lastDeliveries(db: Reader, endpointIds: readonly string[]): Promise<Map<string, Delivery>> {
  const last = new Map<string, Delivery>();
  for (const id of endpointIds) {
    const row = await db
      .selectFrom("webhook_out")
      .selectAll()
      .where("endpoint_id", "=", id)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    if (row) last.set(id, toDelivery(row));
  }
  return last;
}

/** What was delivered or given up long ago is forgotten. */
export async function pruneDeliveries(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom("webhook_out").where("status", "!=", "waiting").where("created_at", "<", before).execute();
}

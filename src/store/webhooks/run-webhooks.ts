import { type ExpressionBuilder, sql } from "kysely";
import type { DeliveryStatus } from "#contract/webhooks.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { Database, RunWebhookRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";

/** The address that a program gave along with one run, and where it reached us. */
export type RunWebhook = {
  runId: string;
  userId: string;
  url: string;
  baseUrl: string;
  attempts: number;
};
/** The deliveries of one person to one address: a weak one delays no other. */
export type RunWebhookLane = { userId: string; origin: string };

const insertRow = prepared((db, row: RunWebhookRow) => db.insertInto("run_webhook").values(row));

/** Asks, in the unit that admits a run, to be called when it is over. */
export async function insertRunWebhook(
  tx: Tx,
  { runId, userId, url, baseUrl, at }: Omit<RunWebhook, "attempts"> & { at: number },
): Promise<void> {
  await insertRow(tx, {
    run_id: runId,
    user_id: userId,
    url,
    origin: new URL(url).origin,
    base_url: baseUrl,
    attempts: 0,
    next_at: at,
    status: "waiting",
    told: null,
    last_error: null,
    http_status: null,
    created_at: at,
    tried_at: null,
  });
}

/** How many of a person's are not delivered yet, counted up to a limit. */
export async function countWaitingCalls(db: Reader, userId: string, most: number): Promise<number> {
  const rows = await db
    .selectFrom("run_webhook")
    .select("run_id")
    .where("user_id", "=", userId)
    .where("status", "=", sql.lit("waiting"))
    .limit(most)
    .execute();
  return rows.length;
}

const waitingRow = prepared((db) =>
  db.selectFrom("run_webhook").select("run_id").where("status", "=", sql.lit("waiting")).limit(1),
);
export const isAnyCallWaiting = async (db: Reader): Promise<boolean> =>
  (await waitingRow(db, {})).length > 0;

/** How many of these runs, which have just ended, somebody waits for. */
export async function countCallsOf(tx: Tx, runIds: readonly string[]): Promise<number> {
  if (runIds.length === 0) return 0;
  const rows = await tx
    .selectFrom("run_webhook")
    .select("run_id")
    .where(isOneOf(tx, "run_id", toJson(runIds)))
    .where("status", "=", sql.lit("waiting"))
    .execute();
  return rows.length;
}

/** `waitMostMs`: no wait is longer; one that seems so was written by a clock that has been set back since. */
type Due = { now: number; waitMostMs: number };

/** The run is over, and nobody was told: of an unconfirmed one that is told, its outcome is. */
const isDue = (e: ExpressionBuilder<Database, "run" | "run_webhook">, { now, waitMostMs }: Due) =>
  e.and([
    e("run_webhook.status", "=", sql.lit("waiting")),
    e.or([e("run_webhook.next_at", "<=", now), e("run_webhook.next_at", ">", now + waitMostMs)]),
    e.or([
      e("run.finished_at", "is not", null),
      e.and([e("run.state", "=", sql.lit("unconfirmed")), e("run_webhook.told", "is", null)]),
    ]),
  ]);
const ofEndedRuns = (db: Reader, due: Due) =>
  db
    .selectFrom("run_webhook")
    .innerJoin("run", "run.id", "run_webhook.run_id")
    .where((e) => isDue(e, due));

export async function lanesWithDue(db: Reader, due: Due): Promise<RunWebhookLane[]> {
  const rows = await ofEndedRuns(db, due)
    .select(["run_webhook.user_id as userId", "run_webhook.origin as origin"])
    .distinct()
    .execute();
  return rows;
}

/** Takes what is due in a lane, so many at once; until `untilMs` no other server takes them too. */
export async function claimCalls(
  tx: Tx,
  claim: Due & RunWebhookLane & { untilMs: number; most: number },
): Promise<RunWebhook[]> {
  const rows = await ofEndedRuns(tx, claim)
    .selectAll("run_webhook")
    .where("run_webhook.user_id", "=", claim.userId)
    .where("run_webhook.origin", "=", claim.origin)
    .orderBy("run_webhook.next_at")
    .limit(claim.most)
    .forNoKeyUpdate("run_webhook")
    .execute();
  for (const row of rows)
    await tx
      .updateTable("run_webhook")
      .set({ next_at: claim.untilMs, attempts: row.attempts + 1 })
      .where("run_id", "=", row.run_id)
      .execute();
  return rows.map((row) => ({
    runId: row.run_id,
    userId: row.user_id,
    url: row.url,
    baseUrl: row.base_url,
    attempts: row.attempts + 1,
  }));
}

export type CallTried = {
  status: DeliveryStatus;
  nextAt: number;
  lastError: string | null;
  httpStatus: number | null;
  triedAt: number;
  /** An unconfirmed run was told: what becomes of it will be told from the beginning. */
  toldUnconfirmed: boolean;
};
export async function recordCall(tx: Tx, runId: string, tried: CallTried): Promise<void> {
  await tx
    .updateTable("run_webhook")
    .set({
      status: tried.status,
      next_at: tried.nextAt,
      last_error: tried.lastError,
      http_status: tried.httpStatus,
      tried_at: tried.triedAt,
      ...(tried.toldUnconfirmed && { told: "unconfirmed", attempts: 0 }),
    })
    .where("run_id", "=", runId)
    .execute();
}

/** Deletes what was asked for long ago, so many at most. @returns whether more may be left */
export async function pruneCalls(tx: Tx, before: number, most: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("run_webhook")
    .where("run_id", "in", (e) =>
      e
        .selectFrom("run_webhook")
        .select("run_id")
        .where("created_at", "<", before)
        .orderBy("created_at")
        .limit(most),
    )
    .executeTakeFirst();
  return Number(numDeletedRows) === most;
}

import { type ExpressionBuilder, sql } from "kysely";
import type { DeliveryStatus } from "#contract/webhooks.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { Database, RunWebhookRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";

/**
 * The URL that a program passed along with one run, and the URL at which it reached this server.
 */
export type RunWebhook = {
  runId: string;
  userId: string;
  url: string;
  baseUrl: string;
  attempts: number;
};
/** The deliveries of one person to one origin. A slow origin delays no other lane. */
export type RunWebhookLane = { userId: string; origin: string };

/** `next_at` of a webhook whose run is still open. The unit that ends the run makes it due. */
const never = Number.MAX_SAFE_INTEGER;

const insertRow = prepared((db, row: RunWebhookRow) => db.insertInto("run_webhook").values(row));

/** Registers a webhook for the end of a run, in the unit that admits the run. */
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
    next_at: never,
    status: "waiting",
    told: null,
    last_error: null,
    http_status: null,
    created_at: at,
    tried_at: null,
  });
}

/** Counts a person's undelivered webhooks, up to a limit. */
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

/**
 * Makes due the webhooks that waited for these runs to end or to become unconfirmed.
 * @returns how many
 */
export async function releaseCallsOf(
  tx: Tx,
  runIds: readonly string[],
  at: number,
): Promise<number> {
  if (runIds.length === 0) return 0;
  const { numUpdatedRows } = await tx
    .updateTable("run_webhook")
    .set({ next_at: at })
    .where(isOneOf(tx, "run_id", toJson(runIds)))
    .where("status", "=", sql.lit("waiting"))
    // A delivery in progress, or waiting for its next try, keeps its time.
    .where((e) => e.or([e("next_at", "=", never), e("next_at", "<=", at)]))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** The delivery state of a run's webhook. */
export type RunCall = Pick<RunWebhookRow, "origin" | "status" | "attempts"> & {
  nextAt: number | null;
  triedAt: number | null;
  httpStatus: number | null;
  lastError: string | null;
};
export async function getRunCall(db: Reader, runId: string): Promise<RunCall | undefined> {
  const row = await db
    .selectFrom("run_webhook")
    .select(["origin", "status", "attempts"])
    .select(["next_at as nextAt", "tried_at as triedAt"])
    .select(["http_status as httpStatus", "last_error as lastError"])
    .where("run_id", "=", runId)
    .executeTakeFirst();
  // Before the first try, and after an accepted one, the webhook waits for its run, not for a time.
  return row && { ...row, nextAt: isTriedAgain(row) ? row.nextAt : null };
}
const isTriedAgain = ({ status, lastError }: Pick<RunCall, "status" | "lastError">): boolean =>
  status === "waiting" && lastError !== null;

/**
 * `waitMostMs` is the longest possible wait. A longer one was written by a clock that has since
 * been set back.
 */
type Due = { now: number; waitMostMs: number };

/**
 * Lists lanes in which a webhook is due. The index skips from lane to lane, and within each to the
 * first due row, so that rows still waiting for their run or their next try are never read, nor are
 * their runs.
 */
export async function lanesWithDue(
  db: Reader,
  { now, waitMostMs }: Due,
): Promise<RunWebhookLane[]> {
  const next = (column: "user_id" | "origin") => sql`(
    select ${sql.ref(column)} from run_webhook
    where status = 'waiting' and (user_id, origin) > (lane.user_id, lane.origin)
    order by user_id, origin limit 1)`;
  const firstAfter = (time: number) => sql`(
    select next_at from run_webhook
    where status = 'waiting' and user_id = lane.user_id and origin = lane.origin and next_at > ${time}
    order by next_at limit 1)`;
  const { rows } = await sql<RunWebhookLane>`
    with recursive lane (user_id, origin) as (
      select '', ''
      union all
      select ${next("user_id")}, ${next("origin")} from lane where lane.user_id is not null)
    select user_id as "userId", origin from lane
    where user_id <> '' and (${firstAfter(0)} <= ${now} or ${firstAfter(now + waitMostMs)} < ${never})`.execute(
    db,
  );
  return rows;
}

/** The run has ended, or is unconfirmed and that hasn't been delivered yet. */
const isDue = (e: ExpressionBuilder<Database, "run" | "run_webhook">, { now, waitMostMs }: Due) =>
  e.and([
    e("run_webhook.status", "=", sql.lit("waiting")),
    e.or([
      e("run_webhook.next_at", "<=", now),
      e.and([
        e("run_webhook.next_at", ">", now + waitMostMs),
        e("run_webhook.next_at", "<", never),
      ]),
    ]),
    e.or([
      e("run.finished_at", "is not", null),
      e.and([e("run.state", "=", sql.lit("unconfirmed")), e("run_webhook.told", "is", null)]),
    ]),
  ]);

/** Claims up to `most` due webhooks of a lane. No other server can claim them until `untilMs`. */
export async function claimCalls(
  tx: Tx,
  claim: Due & RunWebhookLane & { untilMs: number; most: number },
): Promise<RunWebhook[]> {
  const rows = await tx
    .selectFrom("run_webhook")
    .innerJoin("run", "run.id", "run_webhook.run_id")
    .selectAll("run_webhook")
    .where((e) => isDue(e, claim))
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

export type CallAttempt = {
  status: DeliveryStatus;
  nextAt: number;
  lastError: string | null;
  httpStatus: number | null;
  triedAt: number;
  /**
   * The receiver was notified that the run is unconfirmed. The tries for its outcome start from
   * zero.
   */
  reportsUnconfirmed: boolean;
};
export async function recordCall(tx: Tx, runId: string, tried: CallAttempt): Promise<void> {
  const isUnknown = tried.reportsUnconfirmed && !(await isOver(tx, runId));
  await tx
    .updateTable("run_webhook")
    .set({
      status: tried.status,
      next_at: isUnknown ? never : tried.nextAt,
      last_error: tried.lastError,
      http_status: tried.httpStatus,
      tried_at: tried.triedAt,
      ...(tried.reportsUnconfirmed && { told: "unconfirmed", attempts: 0 }),
    })
    .where("run_id", "=", runId)
    .execute();
}

/**
 * Whether a run has ended. The row stays locked, so that a unit ending the run makes its webhook
 * due only after this unit.
 */
async function isOver(tx: Tx, runId: string): Promise<boolean> {
  const run = await tx
    .selectFrom("run")
    .select("finished_at")
    .where("id", "=", runId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return run?.finished_at !== null;
}

/**
 * Deletes up to `most` webhooks created before a time.
 * @returns whether more may be left
 */
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

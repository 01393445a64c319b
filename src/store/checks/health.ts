import { sql } from "kysely";
import { activeStates, openStates } from "#domain/runs/run-machine.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import { literals } from "../database/literals.ts";
import type { Reader } from "../database/store.ts";

export type Workload = {
  /** Runs waiting for a free slot. */
  queued: number;
  /** When the oldest of them was requested; null when there are none. */
  oldestQueuedAt: number | null;
  /** Runs that need a person's approval. */
  needApproval: number;
  active: number;
  unconfirmed: number;
  /**
   * Since when the oldest run waits on a connection that could start it and starts nothing; null
   * when the queue moves.
   */
  stalledSince: number | null;
};

/** A connection that starts or ends no run for this long, although some are due, is stalled. */
const stalledMs = 10 * 60_000;

/** Counts the open runs, using the index that holds only those. */
export async function readWorkload(db: Reader, now: number): Promise<Workload> {
  const rows = await db
    .selectFrom("run")
    .select("state")
    .select((e) => [
      e.fn.countAll<number>().as("all"),
      e.fn.count<number>("waiting_for").as("waiting"),
      sql<number | null>`min(case when waiting_for is null then created_at end)`.as("oldest"),
    ])
    .where("state", "in", literals(openStates))
    .groupBy("state")
    .execute();
  const of = (state: string) => rows.find((row) => row.state === state);
  const queued = of("queued");
  const needApproval = Number(queued?.waiting ?? 0);
  return {
    queued: Number(queued?.all ?? 0) - needApproval,
    oldestQueuedAt:
      queued?.oldest === null || queued?.oldest === undefined ? null : Number(queued.oldest),
    needApproval,
    active: activeStates.reduce((sum, state) => sum + Number(of(state)?.all ?? 0), 0),
    unconfirmed: Number(of("unconfirmed")?.all ?? 0),
    stalledSince: await findStall(db, now - stalledMs),
  };
}

/**
 * Finds the oldest run that has been due since before `until` while nothing on its connection held
 * a slot or ended after that time. Runs of suspended people and disabled connections don't count.
 */
async function findStall(db: Reader, until: number): Promise<number | null> {
  // Connections are few. Checked for each of a hundred thousand queued runs, SQLite would read the
  // ended runs as often.
  const stalled = await db
    .selectFrom("connection")
    .select("connection.id")
    .where("connection.status", "!=", sql.lit("disabled"))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("run as queued")
          .select("queued.id")
          .whereRef("queued.connection_id", "=", "connection.id")
          .where("queued.state", "=", sql.lit("queued")),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("run as active")
            .select("active.id")
            .whereRef("active.connection_id", "=", "connection.id")
            .where("active.state", "in", literals(activeStates))
            // A run that only waits for its files holds no slot.
            .where("active.state", "!=", sql.lit("storing"))
            .where("active.placeless", "=", sql.lit(0)),
        ),
      ),
    )
    .where(
      "connection.id",
      "not in",
      db
        .selectFrom("run as ended")
        .select("ended.connection_id")
        .where("ended.finished_at", ">", until)
        // Runs are pruned long after this; the condition selects the index.
        .where("ended.pruned_at", "is", null),
    )
    .execute();
  if (stalled.length === 0) return null;
  const dueAt = sql<number>`
    case when run.not_before > run.created_at then run.not_before else run.created_at end`;
  const row = await db
    .selectFrom("run")
    .innerJoin("user", "user.id", "run.user_id")
    .select((e) => e.fn.min<number | null>(dueAt).as("since"))
    .where(isOneOf(db, "run.connection_id", toJson(stalled.map(({ id }) => id))))
    .where("run.state", "=", sql.lit("queued"))
    .where("run.waiting_for", "is", null)
    .where(dueAt, "<", until)
    .where("user.status", "!=", sql.lit("suspended"))
    .executeTakeFirst();
  return row?.since === null || row?.since === undefined ? null : Number(row.since);
}

export type ConnectionTrouble = {
  /**
   * Shared connections by name. Connections of a person or a project are private to their people,
   * and only counted.
   */
  shared: { id: string; name: string; detail: string | null }[];
  others: number;
};

export async function listFailingConnections(db: Reader): Promise<ConnectionTrouble> {
  const failing = await db
    .selectFrom("connection")
    .select(["id", "name", "scope", "status_detail"])
    .where("status", "=", "failing")
    .orderBy("name")
    .orderBy("id")
    .execute();
  return {
    shared: failing.flatMap(({ id, name, scope, status_detail }) =>
      scope === "instance" ? [{ id, name, detail: status_detail }] : [],
    ),
    others: failing.filter(({ scope }) => scope !== "instance").length,
  };
}

/** Counts webhooks that are failing or paused. A paused one no longer counts as failing. */
export async function countWebhookTrouble(
  db: Reader,
): Promise<{ failing: number; paused: number }> {
  const row = await db
    .selectFrom("webhook_endpoint")
    .select((e) => [
      e.fn.count<number>("failing_since").filterWhere("disabled_at", "is", null).as("failing"),
      e.fn.count<number>("disabled_at").as("paused"),
    ])
    .executeTakeFirst();
  return { failing: Number(row?.failing ?? 0), paused: Number(row?.paused ?? 0) };
}

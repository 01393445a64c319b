import type { RunEvent } from "#contract/entities.ts";
import type { Clock, Ids } from "#domain/runs/ids.ts";
import type { Hint, Store, Tx } from "../database/store.ts";
import { type Hook, writeHooks } from "../webhooks/hooks.ts";
import { releaseCallsOf } from "../webhooks/run-webhooks.ts";
import { type FeedChange, type Notice, writeChanges } from "./changes.ts";
import type { ClaimedRun } from "./run-rows.ts";

/**
 * A unit of work, passed by `commit` to its callback. A function that takes it first runs inside
 * the unit: its writes become durable when the unit commits, or are rolled back with it. A function
 * that only reads takes the `tx` alone.
 */
export type Unit = {
  tx: Tx;
  outbox: Outbox;
  /**
   * When the unit started, in Unix milliseconds: the time of all its writes. A unit that is retried
   * gets a new one.
   */
  at: number;
};

/**
 * Notifications about the unit's writes. Notices are written, and get their seq, when the unit
 * ends. `queued`: connections with runs to claim after the commit. `claimed`: runs that this
 * process's worker owns from their admission. `hooks`: webhook events, each already a row.
 */
type Outbox = {
  events: RunEvent[];
  changes: Notice[];
  queued: Set<string>;
  claimed: ClaimedRun[];
  hooks: Hook[];
};

export const newUnit = (tx: Tx, at: number): Unit => ({
  tx,
  outbox: { events: [], changes: [], queued: new Set(), claimed: [], hooks: [] },
  at,
});

/** Notifications for watchers, sent only after the commit. */
type News = { events: RunEvent[]; changes: FeedChange[] };
export type Commit = <T>(work: (unit: Unit) => Promise<T>) => Promise<T>;

/**
 * Hints for other servers. Short ones carry the events themselves, so that watchers there needn't
 * read the rows.
 */
function hintsOf({ events, changes }: News): Hint[] {
  return [
    ...[...Map.groupBy(events, (event) => event.runId)].map(([runId, events]) => ({
      topic: runHint(runId),
      detail: JSON.stringify({ events }),
    })),
    ...[...Map.groupBy(changes, (change) => change.projectId)].map(([projectId, changes]) => ({
      topic: projectHint(projectId),
      detail: JSON.stringify({ changes }),
    })),
  ];
}

/**
 * Runs that end in this unit and may have a webhook of their own, whose row exists since admission.
 */
const runsOfForms = (hooks: readonly Hook[]): string[] =>
  hooks.flatMap(({ data }) => ("run" in data && data.run.batchId !== null ? [data.run.id] : []));

export const runHint = (runId: string): string => `run:${runId}`;
export const projectHint = (projectId: string): string => `project:${projectId}`;
/** Topic of the hint that webhook deliveries are due. */
export const hooksHint = "hooks";
export const queuedHint = (connectionId: string): string => `queued:${connectionId}`;

export type Watchers = {
  tell(news: News): void;
  /**
   * Runs are queued on this connection. On SQLite the unit is about to commit: the claim queues
   * behind it, usually in the same transaction.
   */
  queued(connectionId: string): void;
  /** These runs were admitted for this process's worker, and are durable. */
  claimed(runs: readonly ClaimedRun[]): void;
  /** Webhook deliveries are due, and are durable. */
  hooks(): void;
};

/**
 * Wraps the store's `write` and then notifies: on this server directly, on other servers through
 * the database. A project's row, which every unit of the project needs, is locked last, to hold it
 * for the shortest time.
 */
export function createCommit({
  store,
  watchers,
  ids,
  clock,
}: {
  store: Store;
  watchers: Watchers;
  ids: Ids;
  clock: Pick<Clock, "now">;
}): Commit {
  return async (work) => {
    const { value, news, outbox, owed } = await store.write(async (tx) => {
      const unit = newUnit(tx, clock.now());
      const value = await work(unit);
      const { outbox } = unit;
      const owed =
        (await writeHooks(tx, ids, outbox.hooks)) +
        (await releaseCallsOf(tx, runsOfForms(outbox.hooks), unit.at));
      const news: News = { events: outbox.events, changes: await writeChanges(tx, outbox.changes) };
      if (store.engine === "postgres") {
        const hints = [
          ...hintsOf(news),
          ...[...outbox.queued].map((id) => ({ topic: queuedHint(id) })),
          ...(owed > 0 ? [{ topic: hooksHint }] : []),
        ];
        if (hints.length > 0) await store.notify(tx, hints);
      } else for (const connectionId of outbox.queued) watchers.queued(connectionId);
      return { value, news, outbox, owed };
    });
    if (store.engine === "postgres")
      for (const connectionId of outbox.queued) watchers.queued(connectionId);
    if (outbox.claimed.length > 0) watchers.claimed(outbox.claimed);
    if (news.events.length > 0 || news.changes.length > 0) watchers.tell(news);
    if (owed > 0) watchers.hooks();
    return value;
  };
}

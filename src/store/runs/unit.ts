import type { RunEvent } from "#contract/entities.ts";
import type { Clock, Ids } from "#domain/runs/ids.ts";
import type { Hint, Store, Tx } from "../database/store.ts";
import { type Hook, writeHooks } from "../webhooks/hooks.ts";
import { releaseCallsOf } from "../webhooks/run-webhooks.ts";
import { type FeedChange, type Notice, writeChanges } from "./changes.ts";
import type { ClaimedRun } from "./run-rows.ts";

/**
 * One unit of work, as `commit` gives it to its callback: a function that takes it first runs inside it, and what it writes is durable when the
 * unit commits, or is undone with it. A function that only reads takes the `tx` alone.
 */
export type Unit = {
  tx: Tx;
  outbox: Outbox;
  /** When the unit began, Unix time in milliseconds: the time of all that it writes. A unit that is tried again has a new one. */
  at: number;
};

/**
 * What a unit wrote that someone may be watching. Its notices are written, and get their places, when the unit ends. `queued`: the connections
 * that have something to claim once it is committed. `claimed`: runs that the worker of this process owns from their admission on. `hooks`:
 * events for webhooks, each already a row.
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

/** News as the other servers get them: whole where they are short, so that those who watch there need not read the rows. */
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

/** The runs that are over with this unit, of those that may have a webhook of their own: its row is there from their admission on. */
const runsOfForms = (hooks: readonly Hook[]): string[] =>
  hooks.flatMap(({ data }) => ("run" in data && data.run.batchId !== null ? [data.run.id] : []));

export const runHint = (runId: string): string => `run:${runId}`;
export const projectHint = (projectId: string): string => `project:${projectId}`;
/** Something is to be delivered to addresses outside. */
export const hooksHint = "hooks";
export const queuedHint = (connectionId: string): string => `queued:${connectionId}`;

export type Watchers = {
  tell(news: News): void;
  /** Runs wait on this connection, or will when the unit commits that is just ending (SQLite): a claim comes behind it, mostly in the same transaction. */
  queued(connectionId: string): void;
  /** These runs were admitted for the worker of this process, and are durable. */
  claimed(runs: readonly ClaimedRun[]): void;
  /** Something is to be delivered to addresses outside, and is durable. */
  hooks(): void;
};

/**
 * The store's `write`, followed by notifications: here at once, on other servers through the database. A project's row,
 * which every unit of the project needs, is locked last and so for the shortest time.
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

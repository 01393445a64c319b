import type { Change, RunEvent } from "#contract/entities.ts";
import type { Store, Tx } from "./store.ts";

/** A notice of a project's feed, with whom it is for: null for everyone in the project. */
export type FeedChange = Change & { projectId: string; userId: string | null };
/** What a unit wrote that someone may be watching; told only after the commit. */
export type Outbox = { events: RunEvent[]; changes: FeedChange[] };
export type Commit = <T>(unit: (tx: Tx, outbox: Outbox) => Promise<T>) => Promise<T>;

export const runHint = (runId: string): string => `run:${runId}`;
export const projectHint = (projectId: string): string => `project:${projectId}`;

/** The store's `write`, after which watchers are told: here at once, on other servers through the database. */
export function createCommit(store: Store, tell: (outbox: Outbox) => void): Commit {
  return async (unit) => {
    const { value, outbox } = await store.write(async (tx) => {
      const outbox: Outbox = { events: [], changes: [] };
      const value = await unit(tx, outbox);
      if (store.engine === "postgres") {
        const hints = new Set([
          ...outbox.events.map((event) => runHint(event.runId)),
          ...outbox.changes.map((change) => projectHint(change.projectId)),
        ]);
        for (const hint of hints) await store.notify(tx, hint);
      }
      return { value, outbox };
    });
    if (outbox.events.length > 0 || outbox.changes.length > 0) tell(outbox);
    return value;
  };
}

import type { RunEvent } from "#contract/entities.ts";
import { type News as Committed, type FeedChange, projectHint, runHint } from "#store/outbox.ts";

/** News of a topic: what was just committed here, or nothing: then another server wrote, and the rows are to be read. */
export type News = { events?: RunEvent[]; changes?: FeedChange[] };
export type Listener = (news: News) => void;

/** Who watches what in this process. It keeps nothing: the event log is the truth, this only says when to look. */
export type Hub = {
  subscribe(topic: string, listener: Listener): () => void;
  tell(news: Committed): void;
  /** Something happened on another server. */
  hint(topic: string): void;
  /** Some hints may have been missed: everyone looks. */
  gap(): void;
};

export function createHub(): Hub {
  const listeners = new Map<string, Set<Listener>>();
  const reach = (topic: string, news: News): void => {
    for (const listener of listeners.get(topic) ?? []) listener(news);
  };
  return {
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(topic) === set) listeners.delete(topic);
      };
    },
    tell(news) {
      for (const [runId, events] of Map.groupBy(news.events, (event) => event.runId)) reach(runHint(runId), { events });
      for (const [projectId, changes] of Map.groupBy(news.changes, (change) => change.projectId))
        reach(projectHint(projectId), { changes });
    },
    hint: (topic) => reach(topic, {}),
    gap() {
      for (const topic of [...listeners.keys()]) reach(topic, {});
    },
  };
}

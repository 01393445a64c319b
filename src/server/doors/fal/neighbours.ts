import type { ServerDeps } from "../../deps.ts";

/** How long to wait for other servers of this database. A dead or busy one doesn't answer. */
const answerMs = 500;

/** Callers choose their keys, but a topic is a single word. */
const askedOf = (key: string): string => `fal-asked:${encodeURIComponent(key)}`;
const waitedForAt = (key: string): string => `fal-waited-for:${encodeURIComponent(key)}`;

/**
 * Questions that servers of one database ask each other about requests they are answering. Nothing
 * is stored.
 */
export function createNeighbours({ hub, store, log }: Pick<ServerDeps, "hub" | "store" | "log">) {
  const say = (topic: string): Promise<void> =>
    store
      .notify(store.db, [{ topic }])
      .catch((error) => log.warn({ error: String(error) }, "could not ask the other servers"));

  return {
    /**
     * Answers the other servers' questions whether an equal request is definitely a new one.
     * @returns a function that stops answering
     */
    speakFor(key: string, isAnother: () => boolean): () => void {
      return hub.subscribe(askedOf(key), ({ missed }) => {
        if (!missed && isAnother()) void say(waitedForAt(key));
      });
    },

    /**
     * Whether another server knows that an equal request is a new one. Without a reply in time,
     * nobody knows.
     */
    saysAnother(key: string): Promise<boolean> {
      // A SQLite file has only one server.
      if (store.engine === "sqlite") return Promise.resolve(false);
      return new Promise((resolve) => {
        const end = (says: boolean): void => {
          clearTimeout(timer);
          unsubscribe();
          resolve(says);
        };
        const timer = setTimeout(end, answerMs, false);
        const unsubscribe = hub.subscribe(waitedForAt(key), ({ missed }) => {
          if (!missed) end(true);
        });
        void say(askedOf(key));
      });
    },
  };
}

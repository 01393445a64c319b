import type { ServerDeps } from "../../deps.ts";

/** A question from one server of a database to the others. A dead or busy one does not answer. */
const answerMs = 500;

/** A caller chooses its key; a topic is one word. */
const askedOf = (key: string): string => `fal-asked:${encodeURIComponent(key)}`;
const waitedForAt = (key: string): string => `fal-waited-for:${encodeURIComponent(key)}`;

/** What servers of one database ask each other about the requests that they answer. Nothing of it is kept. */
export function createNeighbours({ hub, store, log }: Pick<ServerDeps, "hub" | "store" | "log">) {
  const say = (topic: string): Promise<void> =>
    store
      .notify(store.db, [{ topic }])
      .catch((error) => log.warn({ error: String(error) }, "could not ask the other servers"));

  return {
    /** Answers questions about a request: whether an equal one is definitely another. @returns a function that stops it */
    speakFor(key: string, isAnother: () => boolean): () => void {
      return hub.subscribe(askedOf(key), ({ missed }) => {
        if (!missed && isAnother()) void say(waitedForAt(key));
      });
    },

    /** Whether another server knows of a request that an equal one is another. Where none says so in time, nobody knows. */
    saysAnother(key: string): Promise<boolean> {
      // A file is one server's: there is nobody to ask.
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

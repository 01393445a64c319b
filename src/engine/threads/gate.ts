import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";

/** Runs a limited number of tasks at once and queues a limited number of others, in order. */
export type Gate = { run<T>(work: () => Promise<T>): Promise<T>; close(): void };

/**
 * Creates a gate.
 * @throws Problem unavailable from `run` if too many tasks are waiting or the gate is closed
 */
export function createGate(options: { atOnce: number; waitingMost: number }): Gate {
  const waiting: { enter(): void; refuse(error: Problem): void }[] = [];
  let running = 0;
  let isClosed = false;

  async function enter(): Promise<void> {
    if (isClosed) throw new Problem("unavailable");
    if (running < options.atOnce) {
      running += 1;
      return;
    }
    if (waiting.length >= options.waitingMost)
      throw new Problem("unavailable", { message: sentences.files.busyReading });
    // The leaving task hands over its slot, so `running` stays the same.
    await new Promise<void>((resolve, reject) => waiting.push({ enter: resolve, refuse: reject }));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next.enter();
    else running -= 1;
  }

  return {
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    close() {
      isClosed = true;
      for (const place of waiting.splice(0)) place.refuse(new Problem("unavailable"));
    },
  };
}

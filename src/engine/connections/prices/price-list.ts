import type { Log, PriceList } from "../../deps.ts";
import { createWorkerPool } from "../../threads/worker-pool.ts";
import type { PriceAnswer, PriceTask } from "./price-list-worker.ts";

/** The price list of language-model providers, read in a thread that ends after it has answered. */
export function createPriceList(log: Log): PriceList {
  const pool = createWorkerPool<PriceTask, PriceAnswer>({
    file: new URL("./price-list-worker.ts", import.meta.url),
    size: 1,
    waitingMost: 100,
    timeLimitMs: 30_000,
    idleMs: 1_000,
    memoryMegabytes: 128,
  });
  return {
    pricesOf: (task) =>
      pool.run(task).catch((error) => {
        log.warn({ error: String(error) }, "the price list could not be read");
        return {};
      }),
    close: pool.close,
  };
}

import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { createWorkerPool, WorkerLost } from "../worker-pool.ts";
import { type JsonResults, type JsonTask, readJson } from "./read-json.ts";

export type JsonReader = {
  /**
   * Reads JSON and takes ownership of the bytes.
   * @throws what readJson throws
   * @throws Problem too_large if parsing takes too much memory or time, unavailable if too many
   *   tasks are waiting
   */
  read<T extends JsonTask>(task: T): Promise<JsonResults[T["as"]]>;
  close(): Promise<void>;
};

/**
 * Parses up to 1 MB on the calling thread and more in worker threads with a time limit. Callers
 * bound the memory by checking depth and number of values first: V8 can't abort a JSON.parse that
 * runs out of memory and would end the whole process.
 */
export function createJsonReader(
  options: { hereBytes?: number; timeLimitMs?: number; memoryMegabytes?: number } = {},
): JsonReader {
  const { hereBytes = limits.jsonHereBytes, timeLimitMs = 20_000, memoryMegabytes = 512 } = options;
  const pool = createWorkerPool<JsonTask, unknown>({
    file: new URL("./json-worker.ts", import.meta.url),
    size: 2,
    waitingMost: 32,
    timeLimitMs,
    idleMs: 60_000,
    memoryMegabytes,
  });
  return {
    async read<T extends JsonTask>(task: T) {
      if (task.bytes.length <= hereBytes) return readJson(task);
      // Part of a larger buffer, such as Node's pool, can't be transferred.
      const isWhole = task.bytes.byteLength === task.bytes.buffer.byteLength;
      return (await pool
        .run(task, isWhole ? [task.bytes.buffer] : [])
        .catch(explainLoss)) as JsonResults[T["as"]];
    },
    close: pool.close,
  };
}

function explainLoss(error: unknown): never {
  if (!(error instanceof WorkerLost)) throw error;
  if (error.reason === "closed") throw new Problem("unavailable", {}, { cause: error });
  const what = error.reason === "too-long" ? "time" : "memory";
  throw new Problem(
    "too_large",
    { message: sentences.files.jsonTooHeavy({ resource: what }) },
    { cause: error },
  );
}

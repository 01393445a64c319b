import { parentPort } from "node:worker_threads";
import { rate } from "#domain/votes/bradley-terry.ts";
import { openSqliteReader } from "#store/database/sqlite.ts";
import { answerTasks } from "../answer-tasks.ts";
import { longReads, type RateTask, type ReadTask } from "./long-reads.ts";

/**
 * Two months of usage take 7 MB of pages, read twice, and 3 MB to sort. With 2 MB of cache, a third
 * of the time went into reading pages again.
 */
const cacheKilobytes = 8_000;

let reader: ReturnType<typeof openSqliteReader> | undefined;

/** Loaded only as a worker, which reads a single database. */
answerTasks(parentPort, async (task: ReadTask | RateTask) => {
  if ("wins" in task) return rate(task.size, task.wins);
  const { file, name, args } = task;
  reader ??= openSqliteReader(file, cacheKilobytes);
  const read = longReads[name] as (store: typeof reader, ...args: unknown[]) => Promise<unknown>;
  return read(reader, ...args);
});

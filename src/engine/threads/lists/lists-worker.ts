import { parentPort } from "node:worker_threads";
import { openSqliteReader } from "#store/database/sqlite.ts";
import { answerTasks } from "../answer-tasks.ts";
import { longReads, type ReadTask } from "./long-reads.ts";

/**
 * Two months of usage take 7 MB of pages, read twice, and 3 MB to sort. With 2 MB of cache, a third
 * of the time went into reading pages again.
 */
const cacheKilobytes = 8_000;

let reader: ReturnType<typeof openSqliteReader> | undefined;

/** Loaded only as a worker, which reads a single database. */
answerTasks(parentPort, ({ file, name, args }: ReadTask) => {
  reader ??= openSqliteReader(file, cacheKilobytes);
  const read = longReads[name] as (store: typeof reader, ...args: unknown[]) => Promise<unknown>;
  return read(reader, ...args);
});

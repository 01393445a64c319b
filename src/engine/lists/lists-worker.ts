import { parentPort } from "node:worker_threads";
import { openSqliteReader } from "#store/sqlite.ts";
import { answerTasks } from "../threads/answer-tasks.ts";
import { longReads, type ReadTask } from "./long-reads.ts";

let reader: ReturnType<typeof openSqliteReader> | undefined;

/** Loaded only as a worker, which reads one database. */
answerTasks(parentPort, ({ file, name, args }: ReadTask) => {
  reader ??= openSqliteReader(file);
  const read = longReads[name] as (store: typeof reader, ...args: unknown[]) => Promise<unknown>;
  return read(reader, ...args);
});

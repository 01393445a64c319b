import { Problem } from "#contract/errors.ts";
import type { Rating } from "#domain/votes/bradley-terry.ts";
import type { Store } from "#store/database/store.ts";
import { createWorkerPool, WorkerLost } from "../worker-pool.ts";
import { createKeptModels } from "./kept-models.ts";
import { createLibraryCache, type LibraryCache } from "./library-cache.ts";
import {
  type LongRead,
  type LongReads,
  longReads,
  type RateTask,
  type ReadTask,
} from "./long-reads.ts";

type WithoutStore<Args extends unknown[]> = Args extends [unknown, ...infer Rest] ? Rest : never;
/**
 * The functions of the store without their store argument.
 * @throws what they throw, and Problem unavailable if one takes too long
 */
type Reads = {
  [Name in LongRead]: (
    ...args: WithoutStore<Parameters<LongReads[Name]>>
  ) => ReturnType<LongReads[Name]>;
};
/** The long reads, with libraries and lists of models cached in memory. */
export type Lists = Omit<
  Reads,
  "readLibrary" | "findInLibrary" | "rankTitles" | "writeOpenAiModels"
> & {
  libraries: LibraryCache;
  writeOpenAiModels: ReturnType<typeof createKeptModels>;
  /** Rates the models of a board, whichever database it was read from. */
  rate(board: RateTask): Promise<Rating[]>;
};

/** Two threads: a library requests its layout, counts and first page together. */
const threads = 2;
const timeLimitMs = 30_000;
const idleMs = 5 * 60_000;

/**
 * Creates the long reads. node:sqlite blocks the calling thread, so an embedded database is read in
 * worker threads, where a library doesn't delay a streaming answer. PostgreSQL is a separate
 * process anyway. Pure computation runs in the threads with either database.
 */
export function createLists(store: Store): { lists: Lists; close(): Promise<void> } {
  const { file } = store;
  const pool = createWorkerPool<ReadTask | RateTask, unknown>({
    file: new URL("./lists-worker.ts", import.meta.url),
    size: threads,
    waitingMost: 1_000,
    timeLimitMs,
    idleMs,
    memoryMegabytes: 256,
  });
  const runThere = (task: ReadTask | RateTask) =>
    pool.run(task).catch((error) => {
      throw error instanceof WorkerLost ? new Problem("unavailable", {}, { cause: error }) : error;
    });
  const read = (name: LongRead, args: unknown[]) =>
    file === undefined ? readHere(store, name, args) : runThere({ file, name, args });
  const rate = (board: RateTask) => runThere(board) as Promise<Rating[]>;
  return { lists: { ...listsBy(store, read), rate }, close: pool.close };
}

const readHere = (store: Store, name: LongRead, args: unknown[]): Promise<unknown> =>
  (longReads[name] as (store: Store, ...args: unknown[]) => Promise<unknown>)(store, ...args);

function listsBy(
  store: Store,
  read: (name: LongRead, args: unknown[]) => Promise<unknown>,
): Omit<Lists, "rate"> {
  const { readLibrary, findInLibrary, rankTitles, writeOpenAiModels, ...reads } =
    Object.fromEntries(
      (Object.keys(longReads) as LongRead[]).map((name) => [
        name,
        (...args: unknown[]) => read(name, args),
      ]),
    ) as unknown as Reads;
  return {
    ...reads,
    libraries: createLibraryCache(store, { readLibrary, findInLibrary, rankTitles }),
    writeOpenAiModels: createKeptModels(store.read, writeOpenAiModels),
  };
}

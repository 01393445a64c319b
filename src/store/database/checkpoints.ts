import { Worker } from "node:worker_threads";

/** Some 2,000 pages of the log: a few ms of work in the thread, and of what it leaves to the writer at most. */
const commitsBetween = 32;

/**
 * Puts SQLite's log into the file from a thread of its own: it took a commit in sixty 13 ms, for which everyone waited. A passive
 * checkpoint keeps nobody from writing, so what is committed meanwhile stays in the log: the writer finishes, and begins the log
 * again, once it has grown to the writer's own limit (`wal_autocheckpoint`).
 */
export function createCheckpoints(file: string) {
  let worker: Worker | undefined;
  let commits = 0;
  let isWorking = false;

  function start(): Worker {
    const started = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), {
      workerData: file,
    });
    started.unref();
    started.on("message", () => (isWorking = false));
    // A thread that crashes is not restarted: the writer then checkpoints by itself.
    started.on("error", () => undefined);
    started.on("exit", () => (worker = undefined));
    return started;
  }

  return {
    /** To be called after each commit. */
    committed(): void {
      commits++;
      if (commits < commitsBetween || isWorking) return;
      commits = 0;
      isWorking = true;
      worker ??= start();
      worker.postMessage("checkpoint");
    },
    /** Its connection has to be closed before the writer's, which puts the rest of the log into the file and removes it. */
    async close(): Promise<void> {
      if (!worker) return;
      const ended = new Promise((resolve) => worker?.once("exit", resolve));
      worker.ref();
      worker.postMessage("close");
      await ended;
    },
  };
}

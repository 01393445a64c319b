import { Worker } from "node:worker_threads";

/**
 * About 2,000 pages of log: a few ms of work in the thread, and at most as much left to the writer.
 */
const commitsBetween = 32;

/**
 * Checkpoints SQLite's log in a thread of its own. When the writer did it, one commit in sixty took
 * 13 ms and blocked everyone. A passive checkpoint blocks no writer, so pages committed meanwhile
 * stay in the log: the writer finishes the checkpoint and restarts the log once it reaches the
 * writer's own limit (`wal_autocheckpoint`).
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
    /** Call after each commit. */
    committed(): void {
      commits++;
      if (commits < commitsBetween || isWorking) return;
      commits = 0;
      isWorking = true;
      worker ??= start();
      worker.postMessage("checkpoint");
    },
    /**
     * Closes the thread's connection. Call before closing the writer, which moves the rest of the
     * log into the file and deletes the log.
     */
    async close(): Promise<void> {
      if (!worker) return;
      const ended = new Promise((resolve) => worker?.once("exit", resolve));
      worker.ref();
      worker.postMessage("close");
      await ended;
    },
  };
}

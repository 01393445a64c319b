import { Worker } from "node:worker_threads";
import { type ErrorCode, Problem, type ProblemDetail } from "#contract/errors.ts";
import { createGate } from "./gate.ts";

/** A worker's reply to each task, in order. */
export type WorkerReply<Result> =
  | { result: Result }
  | { problem: { code: ErrorCode; detail: ProblemDetail } }
  | { /** With its stack, for the log. */ error: string };

/** The worker died or was stopped during this task: it used too much memory or time, or exited. */
export class WorkerLost extends Error {
  readonly reason: "crashed" | "too-long" | "closed";
  constructor(reason: "crashed" | "too-long" | "closed", options?: { cause?: unknown }) {
    super(`the worker was lost: ${reason}`, options);
    this.name = "WorkerLost";
    this.reason = reason;
  }
}

/** `run` transfers the buffers in `transfer` instead of copying them. */
export type WorkerPool<Task, Result> = {
  run(task: Task, transfer?: readonly ArrayBuffer[]): Promise<Result>;
  close(): Promise<void>;
};

/**
 * A few threads that each run one task; more tasks wait in order. A thread that crashes or exceeds
 * the time limit fails only its own task and is replaced. An idle thread ends after a while,
 * because each takes tens of MB.
 * @throws from `run`: the task's Problem, WorkerLost, or Problem unavailable if too many tasks are
 *   waiting
 */
export function createWorkerPool<Task, Result>(options: {
  file: URL;
  size: number;
  waitingMost: number;
  timeLimitMs: number;
  idleMs: number;
  memoryMegabytes: number;
}): WorkerPool<Task, Result> {
  const gate = createGate({ atOnce: options.size, waitingMost: options.waitingMost });
  const idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  const all = new Set<Worker>();
  let isClosed = false;

  function start(): Worker {
    const worker = new Worker(options.file, {
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMegabytes },
    });
    all.add(worker);
    worker.unref();
    worker.on("error", () => {});
    worker.once("exit", () => {
      all.delete(worker);
      const place = idle.findIndex((entry) => entry.worker === worker);
      if (place >= 0) clearTimeout(idle.splice(place, 1)[0]!.timer);
    });
    return worker;
  }

  function take(): Worker {
    const entry = idle.pop();
    clearTimeout(entry?.timer);
    return entry?.worker ?? start();
  }

  function giveBack(worker: Worker): void {
    const timer = setTimeout(() => void worker.terminate(), options.idleMs);
    timer.unref();
    idle.push({ worker, timer });
  }

  async function runOn(
    worker: Worker,
    task: Task,
    transfer: readonly ArrayBuffer[],
  ): Promise<WorkerReply<Result>> {
    const { promise, resolve, reject } = Promise.withResolvers<WorkerReply<Result>>();
    const onError = (cause: unknown) => reject(new WorkerLost("crashed", { cause }));
    const onExit = () => reject(new WorkerLost(isClosed ? "closed" : "crashed"));
    const timer = setTimeout(() => reject(new WorkerLost("too-long")), options.timeLimitMs);
    worker.on("message", resolve).on("error", onError).on("exit", onExit);
    // Referenced only while working, so that an idle pool doesn't keep the process alive.
    worker.ref();
    try {
      worker.postMessage(task, transfer);
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off("message", resolve).off("error", onError).off("exit", onExit);
      worker.unref();
    }
  }

  return {
    run: (task, transfer = []) =>
      gate.run(async () => {
        if (isClosed) throw new WorkerLost("closed");
        const worker = take();
        let reply: WorkerReply<Result>;
        try {
          reply = await runOn(worker, task, transfer);
        } catch (error) {
          // Not awaited: a thread in native code ends only when that code returns.
          void worker.terminate();
          throw error;
        }
        giveBack(worker);
        if ("result" in reply) return reply.result;
        throw "problem" in reply
          ? new Problem(reply.problem.code, reply.problem.detail)
          : new Error(reply.error);
      }),
    async close() {
      isClosed = true;
      gate.close();
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

import { Worker } from "node:worker_threads";
import { type ErrorCode, Problem, type ProblemDetail } from "#contract/errors.ts";
import { createGate } from "./gate.ts";

/** What a worker posts for each task it gets, in order. */
export type WorkerReply<Result> =
  | { result: Result }
  | { problem: { code: ErrorCode; detail: ProblemDetail } }
  | { /** With its stack, for the log. */ error: string };

/** The worker died or was stopped over this task: too much memory, too long, or its own end. */
export class WorkerLost extends Error {
  readonly reason: "crashed" | "too-long" | "closed";
  constructor(reason: "crashed" | "too-long" | "closed", options?: { cause?: unknown }) {
    super(`the worker was lost: ${reason}`, options);
    this.name = "WorkerLost";
    this.reason = reason;
  }
}

/** `run` hands over what is in `transfer` instead of copying it. */
export type WorkerPool<Task, Result> = {
  run(task: Task, transfer?: readonly ArrayBuffer[]): Promise<Result>;
  close(): Promise<void>;
};

/**
 * A few threads that take one task each; more wait in order. A thread that crashes or passes the time limit fails its own
 * task alone and is replaced; one without work is ended after a while, for it holds tens of MB.
 * `run` throws the Problem the task ended with, WorkerLost, or Problem("unavailable") when too many wait.
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
    // Held only while it works: a quiet pool does not keep the process alive.
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
          // Not awaited: a thread inside native code ends only when that does.
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

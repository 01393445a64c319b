import { parentPort } from "node:worker_threads";
import { type AnswerPart, ProviderError, type RunContext } from "../adapter.ts";
import type { WorkerMessage } from "./worker-answer.ts";

/** Reports of a task in a worker. */
export type TaskTeller = {
  part(part: AnswerPart): void;
  warn(warning: Parameters<RunContext["warn"]>[0]): void;
};

/**
 * Runs this thread's tasks, one at a time. A ProviderError is sent to the other thread; any other
 * error is a crash.
 */
export function serveTasks<Task>(work: (task: Task, tell: TaskTeller) => Promise<void>): void {
  const port = parentPort;
  if (!port) throw new Error("This module runs in a worker thread.");
  const post = (message: WorkerMessage) => port.postMessage(message);
  const tell: TaskTeller = {
    part: (part) => post({ part }),
    warn: (warning) => post({ warning }),
  };
  port.on("message", async (task: Task) => {
    try {
      await work(task, tell);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return post({ failed: { code: error.code, detail: error.detail } });
    }
    post({ done: true });
  });
}

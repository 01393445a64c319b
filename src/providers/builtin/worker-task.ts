import { parentPort, workerData } from "node:worker_threads";
import { type AnswerPart, ProviderError, type RunContext } from "../adapter.ts";
import type { WorkerMessage } from "./worker-answer.ts";

/** Reports of a task in a worker. */
export type TaskTeller = {
  part(part: AnswerPart): void;
  warn(warning: Parameters<RunContext["warn"]>[0]): void;
};

/**
 * Runs this thread's one task. A ProviderError is sent to the other thread; any other error is a
 * crash.
 */
export async function serveTask<Task>(
  work: (task: Task, tell: TaskTeller) => Promise<void>,
): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error("This module runs in a worker thread.");
  const post = (message: WorkerMessage) => port.postMessage(message);
  try {
    await work(workerData as Task, {
      part: (part) => post({ part }),
      warn: (warning) => post({ warning }),
    });
    post({ done: true });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    post({ failed: { code: error.code, detail: error.detail } });
  }
}

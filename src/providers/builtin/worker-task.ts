import { parentPort, workerData } from "node:worker_threads";
import { type AnswerPart, ProviderError, type RunContext } from "../adapter.ts";
import type { WorkerMessage } from "./worker-answer.ts";

/** What a task in a worker may tell while it works. */
export type TaskTeller = {
  part(part: AnswerPart): void;
  warn(warning: Parameters<RunContext["warn"]>[0]): void;
};

/** Does the one task that this thread was started for. A ProviderError goes to the other side; anything else is a crash. */
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

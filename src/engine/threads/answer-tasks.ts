import type { MessagePort } from "node:worker_threads";
import { Problem } from "#contract/errors.ts";
import type { WorkerReply } from "./worker-pool.ts";

/**
 * The worker's side of a pool: sends one reply for each task. A Problem arrives as a Problem on the
 * other side.
 */
export function answerTasks<Task, Result>(
  port: MessagePort | null,
  work: (task: Task) => Promise<Result>,
): void {
  port?.on(
    "message",
    (task: Task) => void answer(task, work).then((reply) => port.postMessage(reply)),
  );
}

async function answer<Task, Result>(
  task: Task,
  work: (task: Task) => Promise<Result>,
): Promise<WorkerReply<Result>> {
  try {
    return { result: await work(task) };
  } catch (error) {
    if (error instanceof Problem) return { problem: { code: error.code, detail: error.detail } };
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

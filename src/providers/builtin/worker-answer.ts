import { Worker } from "node:worker_threads";
import type { ErrorCode, ProblemDetail } from "#contract/errors.ts";
import { type AnswerPart, ProviderError, type RunContext } from "../adapter.ts";

/** Messages from a worker to the thread that started it. */
export type WorkerMessage =
  | { part: AnswerPart }
  | { warning: Parameters<RunContext["warn"]>[0] }
  | { failed: { code: ErrorCode; detail: ProblemDetail } }
  | { done: true };

/**
 * Runs one task in a thread of its own and yields its parts. The thread ends with the answer, which
 * frees its memory. Aborting stops it at any point, and none of it is still running when the reason
 * is thrown.
 */
export async function* answerInWorker(
  file: URL,
  task: object,
  context: Pick<RunContext, "signal" | "warn">,
  transfer: ArrayBuffer[] = [],
): AsyncGenerator<AnswerPart> {
  context.signal.throwIfAborted();
  const messages: (WorkerMessage | { crashed: unknown })[] = [];
  let wake = () => {};
  const tell = (message: WorkerMessage | { crashed: unknown }) => {
    messages.push(message);
    wake();
  };
  const worker = new Worker(file, { workerData: task, transferList: transfer, name: "builtin" });
  worker.on("message", tell);
  worker.on("error", (crashed) => tell({ crashed }));
  worker.on("exit", () => tell({ crashed: new Error("The worker stopped before it was done.") }));
  const onAbort = () => wake();
  context.signal.addEventListener("abort", onAbort);
  try {
    while (true) {
      context.signal.throwIfAborted();
      const message = messages.shift();
      if (!message) await new Promise<void>((resolve) => (wake = resolve));
      else if ("part" in message) yield message.part;
      else if ("warning" in message) context.warn(message.warning);
      else if ("done" in message) return;
      else if ("failed" in message)
        throw new ProviderError(message.failed.code, "no", message.failed.detail);
      else
        throw new ProviderError(
          isOutOfMemory(message.crashed) ? "unavailable" : "internal",
          "no",
          {},
          { cause: message.crashed },
        );
    }
  } finally {
    context.signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";

import { Worker } from "node:worker_threads";
import type { ErrorCode, ProblemDetail } from "#contract/errors.ts";
import { type AnswerPart, ProviderError, type RunContext } from "../adapter.ts";

/** Messages from a worker to the thread that gave it a task. */
export type WorkerMessage =
  | { part: AnswerPart }
  | { warning: Parameters<RunContext["warn"]>[0] }
  | { failed: { code: ErrorCode; detail: ProblemDetail } }
  | { done: true };

/**
 * How long an idle thread is kept. A variant, or an edit's next stroke, then finds the code loaded;
 * loading it takes ten times as long as a small picture. When the time is over, the thread's memory
 * is freed.
 */
const idleMs = 20_000;
/** At most one thread per script. */
const idle = new Map<string, { worker: Worker; forget: () => void }>();

function takeWorker({ href }: URL): Worker {
  const kept = idle.get(href);
  if (!kept) return new Worker(new URL(href), { name: "builtin" }).on("error", () => undefined);
  kept.forget();
  kept.worker.ref();
  return kept.worker;
}

function keepWorker({ href }: URL, worker: Worker): void {
  if (idle.has(href) || worker.threadId < 0) return void worker.terminate();
  // An idle thread doesn't keep the process alive.
  worker.unref();
  const forget = () => {
    clearTimeout(timer);
    worker.off("error", forget).off("exit", forget);
    idle.delete(href);
  };
  const timer = setTimeout(() => {
    forget();
    void worker.terminate();
  }, idleMs).unref();
  worker.on("error", forget).on("exit", forget);
  idle.set(href, { worker, forget });
}

/**
 * Runs one task in a thread that does nothing else meanwhile, and yields its parts. Aborting ends
 * the thread at any point, and none of it is still running when the reason is thrown.
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
  const worker = takeWorker(file);
  let isDone = false;
  const onError = (crashed: unknown) => tell({ crashed });
  const onExit = () => tell({ crashed: new Error("The worker stopped before it was done.") });
  worker.on("message", tell).on("error", onError).on("exit", onExit);
  const onAbort = () => wake();
  context.signal.addEventListener("abort", onAbort);
  try {
    worker.postMessage(task, transfer);
    while (true) {
      context.signal.throwIfAborted();
      const message = messages.shift();
      if (!message) await new Promise<void>((resolve) => (wake = resolve));
      else if ("part" in message) yield message.part;
      else if ("warning" in message) context.warn(message.warning);
      else if ("done" in message) {
        isDone = true;
        return;
      } else if ("failed" in message)
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
    worker.off("message", tell).off("error", onError).off("exit", onExit);
    if (isDone) keepWorker(file, worker);
    else await worker.terminate();
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";

import { createWorkerPool } from "../worker-pool.ts";
import { type PageTask, renderMessages, renderPlain } from "./render-messages.ts";

/** Messages as HTML. One that can't be set in time is shown as it was written. */
export type RenderPage = (task: PageTask) => Promise<string>;

/** An export reads one page after the other; exports take turns. */
const threads = 1;
/** The longest message takes about a second. A text that takes longer was made to. */
const timeLimitMs = 10_000;
const idleMs = 60_000;

/** Exported pages, set by a thread with limits of time and memory. */
export function createPages(hasThreads = true): {
  renderPage: RenderPage;
  close(): Promise<void>;
} {
  if (!hasThreads)
    return {
      renderPage: (task) => orPlain(task, async (one) => renderMessages(one)),
      close: async () => undefined,
    };
  const pool = createWorkerPool<PageTask, string>({
    file: new URL("./page-worker.ts", import.meta.url),
    size: threads,
    waitingMost: 1_000,
    timeLimitMs,
    idleMs,
    memoryMegabytes: 256,
  });
  return { renderPage: (task) => orPlain(task, pool.run), close: pool.close };
}

async function orPlain(task: PageTask, render: RenderPage): Promise<string> {
  try {
    return await render(task);
  } catch {
    const { messages, ...of } = task;
    if (messages.length === 1) return renderPlain(task);
    // One of them alone is at fault: the others are set.
    let page = "";
    for (const message of messages) page += await orPlain({ messages: [message], ...of }, render);
    return page;
  }
}

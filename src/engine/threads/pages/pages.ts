import { createWorkerPool } from "../worker-pool.ts";
import { type PageTask, renderMessages, renderPlain } from "./render-messages.ts";

/** Renders messages as HTML. A message that takes too long is shown as plain text. */
export type RenderPage = (task: PageTask) => Promise<string>;

/** An export renders one page after the other, and exports take turns. */
const threads = 1;
/** The longest message takes about a second; only malicious text takes longer. */
const timeLimitMs = 10_000;
const idleMs = 60_000;

/** Renders exported pages in a thread with time and memory limits. */
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
    // Only one of the messages fails, so the others are rendered individually.
    let page = "";
    for (const message of messages) page += await orPlain({ messages: [message], ...of }, render);
    return page;
  }
}

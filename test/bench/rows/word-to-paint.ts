import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { Bench } from "../bench.ts";
import { longestTask, nowIn, openBrowser, openPage, rendererTime, untilQuiet } from "../browser.ts";
import {
  atMost,
  beside,
  contention,
  type Figure,
  percentile,
  type Row,
  round,
} from "../figures.ts";
import { startRelay } from "../provider.ts";
import { seedConversation } from "../seed-conversation.ts";
import { type Ask, askOpenAi, askOverSocket } from "../streams.ts";
import { openStudio, type Studio } from "../studio.ts";

const what = "from a provider's piece to the painted word, p50, less the bare relay's way";
const frameMs = 1_000 / 60;
const others = 49;
/** The visible conversation's length, before further messages. */
const messages = 50;
const provider = { tokens: 300, firstTokenMs: 50, betweenMs: 20, stamped: true };
const answerMs = provider.firstTokenMs + provider.tokens * provider.betweenMs;
/** The first visible answer warms up and isn't counted. */
const answers = { usual: 4, long: 11 };
/** The number of comparisons of the two clocks; the quickest one counts. */
const comparisons = 50;
/** Much longer than an answer takes, so exceeding it means an error. */
const answerLimitMs = 60_000;
const pollMs = 500;

declare global {
  interface Window {
    /**
     * Painted words: the send time by the system's clock; the arrival and the frame's end by the
     * page's clock.
     */
    benchWords: { sentNs: string; arrivedMs: number; paintedMs: number }[];
  }
}

/**
 * Records each word of an answer when its frame is drawn, in a task after the frame in which the
 * word was inserted. A word inserted outside of a frame waits for the next one.
 */
function notePaintedWords(): void {
  window.benchWords = [];
  const afterFrame = (work: () => void): void => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      work();
    };
    port2.postMessage(null);
  };
  const stamps = /\d+:(\d+)(?=\s|$|")/g;
  const arrived = new Map<string, number>();
  window.WebSocket = class extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      this.addEventListener("message", ({ data }) => {
        for (const [, sentNs = ""] of String(data).matchAll(stamps))
          if (!arrived.has(sentNs)) arrived.set(sentNs, performance.now());
      });
    }
  };
  let isInFrame = false;
  const requestFrame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) =>
    requestFrame((at) => {
      isInFrame = true;
      afterFrame(() => {
        isInFrame = false;
      });
      callback(at);
    });
  const textsIn = (node: Node): string[] => {
    if (node instanceof Text) return [node.data];
    const texts: string[] = [];
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push((walker.currentNode as Text).data);
    return texts;
  };
  const seen = new Set<string>();
  new MutationObserver((mutations) => {
    const added: string[] = [];
    for (const text of mutations.flatMap(({ type, target, addedNodes }) =>
      (type === "childList" ? [...addedNodes] : [target]).flatMap(textsIn),
    )) {
      for (const [, sentNs = ""] of text.matchAll(stamps)) {
        if (seen.has(sentNs)) continue;
        seen.add(sentNs);
        added.push(sentNs);
      }
    }
    if (added.length === 0) return;
    const note = () => {
      const paintedMs = performance.now();
      for (const sentNs of added)
        window.benchWords.push({ sentNs, arrivedMs: arrived.get(sentNs) ?? Number.NaN, paintedMs });
    };
    if (isInFrame) afterFrame(note);
    else requestFrame(() => afterFrame(note));
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

/**
 * The offset from the page's clock to the system's, in ms. Half of a round trip is uncertain, so
 * the quickest comparison counts.
 */
async function compareClocks(page: Page): Promise<{ offsetMs: number; doubtMs: number }> {
  let best = { offsetMs: Number.NaN, doubtMs: Number.POSITIVE_INFINITY };
  for (let i = 0; i < comparisons; i++) {
    const before = Number(process.hrtime.bigint()) / 1e6;
    const there = await nowIn(page);
    const after = Number(process.hrtime.bigint()) / 1e6;
    const doubtMs = (after - before) / 2;
    if (doubtMs < best.doubtMs) best = { offsetMs: (before + after) / 2 - there, doubtMs };
  }
  return best;
}

/** The rest of the load, until it is stopped: each asks again when its answer has ended. */
async function startOthers(studio: Studio): Promise<{ stop(): Promise<void> }> {
  const asks = await Promise.all(Array.from({ length: others }, () => askOverSocket(studio)));
  let isOver = false;
  const working = Promise.all(
    asks.map(async (ask, i) => {
      await sleep((i / others) * answerMs);
      while (!isOver) await ask();
    }),
  );
  // Reported by `stop`; if another error ends the row first, the server is gone for these too.
  working.catch(() => undefined);
  return {
    async stop() {
      isOver = true;
      await working;
    },
  };
}

async function relayDelay(bench: Bench, { providerUrl, session, model }: Studio): Promise<number> {
  const relay = await startRelay(bench.cores, providerUrl);
  try {
    const asks = Array.from(
      { length: others + 1 },
      (): Ask => askOpenAi({ agent: session.agent, url: relay.url, model: model.modelId }),
    );
    const timings = await Promise.all(asks.map((ask) => ask()));
    return percentile(
      timings.flatMap(({ delaysMs }) => delaysMs),
      0.5,
    );
  } finally {
    await relay.stop();
  }
}

type Watched = {
  /** For each word, in ms: from the provider to the page, from there to the paint, and in total. */
  toPage: number[];
  toPaint: number[];
  whole: number[];
  /** The page's CPU time, in ms. */
  spentMs: number;
  longestTaskMs: number;
};

async function watchAnswers(page: Page, count: number, offsetMs: number): Promise<Watched> {
  const cdp = await page.context().browser()!.newBrowserCDPSession();
  const composer = page.getByRole("textbox", { name: "Message", exact: true });
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  const answer = async () => {
    await composer.fill("Tell me of one more night.");
    await composer.press("Enter");
    await page.waitForFunction((tokens) => window.benchWords.length >= tokens, provider.tokens, {
      timeout: answerLimitMs,
      polling: pollMs,
    });
    await stop.waitFor({ state: "hidden" });
    return page.evaluate(() => window.benchWords.splice(0));
  };
  await answer();
  const sinceMs = await nowIn(page);
  const before = await rendererTime(cdp);
  const watched: Watched = { toPage: [], toPaint: [], whole: [], spentMs: 0, longestTaskMs: 0 };
  for (let i = 1; i < count; i++)
    for (const { sentNs, arrivedMs, paintedMs } of await answer()) {
      const sentMs = Number(sentNs) / 1e6 - offsetMs;
      watched.toPage.push(arrivedMs - sentMs);
      watched.toPaint.push(paintedMs - arrivedMs);
      watched.whole.push(paintedMs - sentMs);
    }
  watched.spentMs = (await rendererTime(cdp)) - before;
  watched.longestTaskMs = (await longestTask(page, sinceMs)).longestMs;
  return watched;
}

async function measure(bench: Bench): Promise<Figure[]> {
  const count = bench.long ? answers.long : answers.usual;
  let conversationId = "";
  const studio = await openStudio(bench, {
    provider,
    conversationsEach: 2 * (count + 3),
    async seed(store, facts) {
      ({ id: conversationId } = await seedConversation(store, { ...facts, count: messages }));
    },
  });
  const relayMs = await relayDelay(bench, studio);
  const browser = await openBrowser(bench);
  try {
    const path = `/chat/${conversationId}`;
    const page = await openPage(browser, studio, path, "owner", notePaintedWords);
    await page.waitForSelector("[data-message]");
    await untilQuiet(page);
    bench.cores.takeLoadCore();
    const load = await startOthers(studio);
    await sleep(answerMs);
    const before = studio.server.coreTime();
    const { offsetMs, doubtMs } = await compareClocks(page);
    const watched = await watchAnswers(page, count, offsetMs);
    const after = studio.server.coreTime();
    await load.stop();
    const p50 = (samples: readonly number[]): string => `${round(percentile(samples, 0.5))} ms`;
    return [
      atMost(
        `${what}, ${others + 1} streams`,
        percentile(watched.whole, 0.5) - relayMs,
        frameMs,
        "ms",
        `${round(percentile(watched.whole, 0.99) - relayMs)} ms at p99, of ${watched.whole.length} words; clocks differ by at most ${doubtMs.toFixed(1)} ms`,
      ),
      beside("  until it arrives at the page, p50", p50(watched.toPage)),
      beside(
        "  from there until its frame is drawn, p50, with 8.3 ms until the next frame",
        p50(watched.toPaint),
      ),
      beside("  through the bare relay, p50", `${round(relayMs)} ms`),
      beside(
        "  CPU of the page for each word",
        `${round(watched.spentMs / watched.whole.length)} ms`,
      ),
      beside(
        "  the page's longest task",
        `${round(watched.longestTaskMs)} ms`,
        "0 when none took over 50 ms",
      ),
      contention(before, after),
    ];
  } finally {
    await browser.close();
    await studio.stop();
  }
}

export const wordToPaint: Row<Bench> = { name: "word-to-paint", what, measure };

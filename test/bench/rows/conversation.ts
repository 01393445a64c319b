import type { Browser, Page } from "playwright-core";
import { upsertModels } from "#store/models/models.ts";
import type { Bench } from "../bench.ts";
import {
  beginTasks,
  endTasks,
  openBrowser,
  openPage,
  rendererTime,
  untilQuiet,
} from "../browser.ts";
import { atMost, beside, type Figure, percentile, type Row, round } from "../figures.ts";
import { type SeededConversation, seedConversation } from "../seed-conversation.ts";
import { openStudio, type Studio } from "../studio.ts";

const short = 50;
const long = 5_000;
const reads = { usual: 20, long: 60 };
/** An answer of 8 s, while a person types. */
const provider = { tokens: 200, firstTokenMs: 50, betweenMs: 40 };
const typed = "And what did the keeper see the night after that one, if anything at all? ".repeat(
  2,
);
const keyMs = 50;

type Measured = {
  openCpuMs: number;
  openServerMs: number;
  readMs: number;
  estimateMs: number;
  answerKb: number;
  answerServerMs: number;
  longestTaskMs: number;
  nodes: number;
};

/** The main thread's CPU time during `work`, in ms. */
async function serverTime<T>(studio: Studio, work: () => Promise<T>): Promise<number> {
  const before = studio.server.coreTime().ranMs;
  await work();
  return studio.server.coreTime().ranMs - before;
}

async function measureOne(
  bench: Bench,
  studio: Studio,
  browser: Browser,
  conversation: SeededConversation,
): Promise<Measured> {
  const cdp = await browser.newBrowserCDPSession();
  const times = bench.long ? reads.long : reads.usual;
  const params = { conversationId: conversation.id };
  const open = () => studio.session.call("getConversation", { params });
  const estimate = (characters: number) =>
    studio.session.call("estimateAnswer", {
      params: { projectId: studio.projectId },
      body: {
        ...{ model: studio.model, conversationId: conversation.id },
        ...{ parentId: conversation.lastMessageId, characters, bytes: characters },
      },
    });
  const repeat = async (work: (time: number) => Promise<unknown>): Promise<number> => {
    await work(0);
    const all: number[] = [];
    for (let time = 1; time <= times; time++)
      all.push(await serverTime(studio, () => work(time * 40)));
    return percentile(all, 0.5);
  };
  const readMs = await repeat(open);
  const estimateMs = await repeat(estimate);

  const before = await rendererTime(cdp);
  const serverBefore = studio.server.coreTime().ranMs;
  const page = await openPage(browser, studio, `/chat/${conversation.id}`);
  await page.waitForSelector("[data-message]");
  await untilQuiet(page);
  const openServerMs = studio.server.coreTime().ranMs - serverBefore;
  const openCpuMs = (await rendererTime(cdp)) - before;
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);

  const bytes = countBytes(page);
  const composer = page.getByRole("textbox", { name: "Message", exact: true });
  await composer.fill("Tell me of one more night.");
  await untilQuiet(page);
  bytes.start();
  await beginTasks(browser, page);
  const answerServerMs = await serverTime(studio, async () => {
    await composer.press("Enter");
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
    for (const key of typed) {
      await page.keyboard.type(key);
      await page.waitForTimeout(keyMs);
    }
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "hidden" });
    await untilQuiet(page);
  });
  const longestTaskMs = await endTasks(browser);
  const answerKb = bytes.stop() / 1024;
  await page.context().close();
  await cdp.detach();
  return {
    openCpuMs,
    openServerMs,
    readMs,
    estimateMs,
    answerKb,
    answerServerMs,
    longestTaskMs,
    nodes,
  };
}

/** Counts the bytes of requests about the open conversation. */
function countBytes(page: Page) {
  let sum = 0;
  let isCounting = false;
  page.on("response", (response) => {
    if (!isCounting || !/\/api\/v1\/conversations\/[0-9a-f-]{36}/.test(response.url())) return;
    void response
      .body()
      .then((body) => {
        sum += body.byteLength;
      })
      .catch(() => undefined);
  });
  return {
    start: () => {
      isCounting = true;
    },
    stop: () => sum,
  };
}

async function measure(bench: Bench): Promise<Figure[]> {
  const seeded: SeededConversation[] = [];
  const studio = await openStudio(bench, {
    provider,
    async seed(store, facts) {
      for (const count of [short, short, long])
        seeded.push(await seedConversation(store, { ...facts, count }));
    },
  });
  const browser = await openBrowser(bench);
  try {
    // The first one only warms up.
    await measureOne(bench, studio, browser, seeded[0]!);
    const [less, more] = [
      await measureOne(bench, studio, browser, seeded[1]!),
      await measureOne(bench, studio, browser, seeded[2]!),
    ];
    const ratio = (what: string, of: keyof Measured, unit: string): Figure =>
      atMost(
        what,
        more[of] / less[of],
        2,
        "times",
        `${round(less[of])} and ${round(more[of])} ${unit}`,
      );
    return [
      ratio("5,000 messages compared with 50: opening, CPU of the page", "openCpuMs", "ms"),
      ratio(
        "  opening, the server's main thread for all requests of the page",
        "openServerMs",
        "ms",
      ),
      ratio("  bytes for an answer, in the tab that sent the question", "answerKb", "KB"),
      ratio("  the server's main thread for that answer", "answerServerMs", "ms"),
      ratio("  an estimate during typing, the server's main thread", "estimateMs", "ms"),
      atMost("  typing while an answer streams: longest task by CPU", more.longestTaskMs, 50, "ms"),
      beside("  the same at 50 messages", `${round(less.longestTaskMs)} ms`),
      beside(
        "  the conversation's own request, the server's main thread",
        `${round(less.readMs)} and ${round(more.readMs)} ms`,
      ),
      beside("  DOM nodes", `${less.nodes} and ${more.nodes}`),
    ];
  } finally {
    await browser.close();
    await studio.stop();
  }
}

export const conversation: Row<Bench> = {
  name: "conversation",
  what: "a conversation of 5,000 messages compared with one of 50",
  measure,
};

const answers = 6;
/** Six answers of 8 s, side by side. */
const besideProvider = { tokens: 200, firstTokenMs: 50, betweenMs: 40 };

async function measureSix(bench: Bench): Promise<Figure[]> {
  const modelIds = Array.from({ length: answers }, (_, i) => `sim-chat-${i + 1}`);
  let seeded = { id: "", lastMessageId: "" };
  const studio = await openStudio(bench, {
    provider: besideProvider,
    async seed(store, facts) {
      seeded = await seedConversation(store, { ...facts, count: 10 });
      await store.write((tx) =>
        upsertModels(
          tx,
          modelIds.map((modelId) => ({
            connectionId: facts.connectionId,
            modelId,
            name: modelId,
            description: "",
            tasks: ["chat"],
            inputModalities: ["text"],
            outputModalities: ["text"],
            inputSchema: null,
            schemaHash: null,
            capabilities: {},
            limits: {},
            prices: [],
            status: "active",
            fetchedAt: Date.now(),
          })),
        ),
      );
    },
  });
  const browser = await openBrowser(bench);
  try {
    const page = await openPage(browser, studio, `/chat/${seeded.id}`);
    await page.waitForSelector("[data-message]");
    await untilQuiet(page);
    await beginTasks(browser, page);
    await studio.session.call("sendMessage", {
      params: { conversationId: seeded.id },
      body: {
        parentId: seeded.lastMessageId,
        text: "Tell me of one more night.",
        asks: modelIds.map((modelId) => ({
          model: { connectionId: studio.model.connectionId, modelId },
        })),
      },
    });
    const stops = page.getByRole("button", { name: /^Stop/ }).first();
    await stops.waitFor();
    await stops.waitFor({ state: "hidden", timeout: 60_000 });
    await untilQuiet(page);
    const longestMs = await endTasks(browser);
    return [atMost("six answers streaming: longest task by CPU", longestMs, 50, "ms")];
  } finally {
    await browser.close();
    await studio.stop();
  }
}

export const sixAnswers: Row<Bench> = {
  name: "six-answers",
  what: "six answers that stream side by side in the browser",
  measure: measureSix,
};

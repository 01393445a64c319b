import { upsertModels } from "#store/models/models.ts";
import type { Bench } from "../bench.ts";
import { openBrowser, openPage, untilQuiet } from "../browser.ts";
import { atMost, type Figure, type Row } from "../figures.ts";
import { seedConversation } from "../seed-conversation.ts";
import { openStudio } from "../studio.ts";
import { longestTaskOf } from "./conversation.ts";

const answers = 6;
/** Six answers of 8 s, side by side. */
const provider = { tokens: 200, firstTokenMs: 50, betweenMs: 40 };

async function measure(bench: Bench): Promise<Figure[]> {
  const modelIds = Array.from({ length: answers }, (_, i) => `sim-chat-${i + 1}`);
  let seeded = { id: "", lastMessageId: "" };
  const studio = await openStudio(bench, {
    provider,
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
    await browser.startTracing(page, {
      categories: ["toplevel", "disabled-by-default-devtools.timeline", "__metadata"],
    });
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
    await page.getByRole("button", { name: /^Stop/ }).first().waitFor();
    await page.waitForFunction(
      () =>
        ![...document.querySelectorAll("button")].some((b) => b.textContent?.startsWith("Stop")),
      undefined,
      { timeout: 60_000, polling: 250 },
    );
    await untilQuiet(page);
    const longestMs = longestTaskOf(await browser.stopTracing());
    return [atMost("six answers streaming: longest task by CPU", longestMs, 50, "ms")];
  } finally {
    await browser.close();
    await studio.stop();
  }
}

export const sixAnswers: Row<Bench> = {
  name: "six-answers",
  what: "six answers that stream side by side in the browser",
  measure,
};

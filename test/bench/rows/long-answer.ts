import type { Page } from "playwright-core";
import { request } from "undici";
import type { Bench } from "../bench.ts";
import { longestTask, nowIn, openBrowser, openPage, untilQuiet } from "../browser.ts";
import { atMost, beside, type Figure, type Row, round } from "../figures.ts";
import { seedConversation } from "../seed-conversation.ts";
import { openStudio } from "../studio.ts";

const characters = 100_000;
const chunkCharacters = 40;
const betweenMs = 4;
const answerLimitMs = 120_000;
/** The last rendering may follow this long after the last event. */
const settleMs = 1_000;
const pollMs = 250;

/** The contents of a long answer: prose, a list, code, a table, a formula; then repeated. */
const chapter = (number: number): string => `## Chapter ${number}

The keeper of the light wrote **everything** down, for *nobody* would believe it later. She counted the ships, the birds and the
nights without either, and what she could not count she drew, in a book with a [red cover](https://example.org/book).

1. The lamp, which was to be trimmed at dusk.
2. The stairs: \`142\` of them, and one that was missing.

\`\`\`ts
export function trim(lamp: Lamp): Lamp {
  return { ...lamp, wick: lamp.wick - ${number} };
}
\`\`\`

| night | ships | birds |
|---|---|---|
| ${number} | 3 | 41 |

The beam reached $d = \\sqrt{2 r h}$ far, or so she had it from her father.

`;

function longText(): string {
  let text = "";
  for (let number = 1; text.length < characters; number++) text += chapter(number);
  return `${text.slice(0, characters - 8)} The end`;
}

/**
 * Checks the page's own data, because a text locator walks through every element and would itself
 * be the longest task.
 */
async function untilWhole(page: Page): Promise<void> {
  const isWhole = () =>
    [...document.querySelectorAll("[data-message]")].at(-1)?.textContent?.includes("The end");
  await page.waitForFunction(isWhole, undefined, { timeout: answerLimitMs, polling: pollMs });
}

async function measure(bench: Bench): Promise<Figure[]> {
  let conversationId = "";
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    // In a new conversation the guide would answer, until a model is chosen.
    async seed(store, facts) {
      ({ id: conversationId } = await seedConversation(store, { ...facts, count: 2 }));
    },
  });
  const browser = await openBrowser(bench);
  try {
    const text = longText();
    const chunks = Array.from({ length: Math.ceil(text.length / chunkCharacters) }, (_, i) =>
      text.slice(i * chunkCharacters, (i + 1) * chunkCharacters),
    );
    await request(new URL("/_control/script", studio.providerUrl), {
      method: "POST",
      body: JSON.stringify({ text: chunks, betweenMs }),
    });
    const page = await openPage(browser, studio, `/chat/${conversationId}`);
    const composer = page.getByRole("textbox", { name: "Message", exact: true });
    await composer.waitFor();
    await untilQuiet(page);
    await composer.fill("Tell me all of it.");
    const sinceMs = await nowIn(page);
    await composer.press("Enter");
    await untilWhole(page);
    const endMs = await nowIn(page);
    await page.waitForTimeout(settleMs);
    const tasks = await longestTask(page, sinceMs);
    const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    await page.reload();
    await untilWhole(page);
    await page.waitForTimeout(settleMs);
    const opening = await longestTask(page, 0);
    return [
      atMost(
        "a 100,000-character streamed answer: longest task",
        tasks.longestMs,
        50,
        "ms",
        `${tasks.count} tasks over 50 ms; 0 when none`,
      ),
      beside(
        "  from the request to its last word",
        `${round((endMs - sinceMs) / 1_000)} s, ${nodes} nodes`,
        `${round((chunks.length * betweenMs) / 1_000)} s at the provider`,
      ),
      beside(
        "  opened again: longest task",
        `${round(opening.longestMs)} ms`,
        `${opening.count} tasks over 50 ms; 0 when none`,
      ),
    ];
  } finally {
    await browser.close();
    await studio.stop();
  }
}

export const longAnswer: Row<Bench> = {
  name: "long-answer",
  what: "a 100,000-character streamed answer in the browser",
  measure,
};

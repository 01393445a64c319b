import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Chat,
  composer,
  say,
  startChat,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { button, findInPalette } from "../../support/browser/locators.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { connectKind } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** Several models answer one message side by side. */
let chat: Chat;

beforeAll(async () => {
  chat = await startChat();
  for (const modelId of ["sim-chat", "owner/sim-vision"])
    await chat.studio.api.send("PUT", `/connections/${chat.connectionId}/model-price`, {
      modelId,
      prices: [
        { unit: "input token", micros: "3" },
        { unit: "output token", micros: "15" },
      ],
    });
});
afterAll(() => chat?.stop());

const words = Array.from({ length: 40 }, (_, place) => `word${place} `);

/** A new conversation's page with a second model chosen. */
async function openWithTwo(): Promise<Page> {
  const page = await chat.openPage("/chat");
  await addModel(page, "sim-chat");
  return page;
}
async function addModel(page: Page, name: string): Promise<void> {
  await button(page, "Add a model to compare").click();
  await page.getByPlaceholder("Search models").fill(name);
  await page.getByPlaceholder("Search models").press("Enter");
  await button(page, `Remove ${name}`).waitFor();
}
const columns = (page: Page) => thread(page).getByRole("article");

it("two models answer in columns at once, each with its price and time, and one stops while the other continues", async () => {
  chat.simulator.script({ text: words, gate: { name: "left", at: 5 } });
  chat.simulator.script({ text: words, gate: { name: "right", at: 5 } });
  const page = await openWithTwo();
  await button(page, /^Send to 2 models/).waitFor();
  await say(page, "Which cover?");
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
  await soon(() => columns(page).getByText("word4").count()).toBe(2);
  // A computer whose clock is an hour fast.
  await page.addInitScript(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + 60 * 60_000;
  });
  await page.reload();
  await soon(() => columns(page).getByText("word4").count()).toBe(2);
  await soon(() =>
    columns(page)
      .getByText(/^\$[\d.]+ reserved · \d{1,2} s$/)
      .count(),
  ).toBe(2);
  await button(page, "Stop sim-chat").click();
  await thread(page).getByText("You stopped this answer.").waitFor();
  expect(await button(page, /^Stop .*sim-vision/).count()).toBe(1);
  chat.simulator.open("left");
  chat.simulator.open("right");
  await columns(page).getByText("word39").waitFor();
  await soon(() => button(page, "Continue with this one").count()).toBe(2);
  await soon(() =>
    columns(page)
      .getByText(/\$[\d.]+ · [\d.]+ s$/)
      .count(),
  ).toBe(2);
  expect(
    await columns(page)
      .getByText(/reserved/)
      .count(),
  ).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
});

it("six models answer one message, each in a column with its own stop button", async () => {
  const models = JSON.stringify(
    ["ebb", "flood", "neap", "spring"].map((id) => ({ id: `sim-${id}`, task: "chat" })),
  );
  const { url: api, key } = chat.simulator;
  await connectKind(chat.studio.api, "openai-compatible", { api, key, models }, "Tides");
  const page = await openWithTwo();
  for (const name of ["sim-ebb", "sim-flood", "sim-neap", "sim-spring"]) await addModel(page, name);
  expect(await button(page, "Add a model to compare").count()).toBe(0);
  for (let place = 0; place < 6; place++)
    chat.simulator.script({ text: words, gate: { name: "six", at: 5 } });
  await button(page, /^Send to 6 models/).waitFor();
  await say(page, "Which tide?");
  await soon(() => columns(page).getByText("word4").count()).toBe(6);
  await soon(() => button(page, /^Stop .*sim-/).count()).toBe(6);
  await button(page, "Stop sim-neap").click();
  await soon(() => button(page, /^Stop .*sim-/).count()).toBe(5);
  expect(await findBarriers(page)).toEqual([]);
  chat.simulator.open("six");
  await soon(() => columns(page).getByText("word39").count()).toBe(5);
  await button(page, "Merge answers").waitFor();
});

it("the conversation continues from the chosen answer, in a second tab too", async () => {
  chat.simulator.script({ text: "Draw the tide." });
  chat.simulator.script({ text: "Draw the arches." });
  const page = await openWithTwo();
  await say(page, "Which cover?");
  await page.getByText(/Your next message continues from/).waitFor();
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await tab.getByText("Draw the tide.").waitFor();
  const picked = columns(page).filter({ hasText: "arches" });
  // From the composer, where the palette distinguishes the answers by their models.
  const name = (await picked.getAttribute("aria-label")) ?? "";
  const picks = await findInPalette(page, "Continue with this one");
  await soon(() => picks.count()).toBe(2);
  await picks.filter({ hasText: name }).click();
  await picked.getByText("The conversation continues from this answer").waitFor();
  await columns(tab)
    .filter({ hasText: "arches" })
    .getByText("The conversation continues from this answer")
    .waitFor();
  // The chosen one isn't offered again; the other still is.
  await findInPalette(page, "Continue with this one");
  await soon(() => picks.count()).toBe(1);
  expect(await picks.filter({ hasText: name }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await say(page, "Why?");
  await soon(() => columns(page).count()).toBe(3);
  const last = () => JSON.stringify(chat.simulator.posts.at(-1)?.body);
  await soon(last).toContain("Why?");
  const sent = last();
  expect(sent).toContain("Draw the arches.");
  expect(sent).not.toContain("Draw the tide.");
  await columns(tab).nth(2).waitFor();
});

it("answers are merged by a chosen model, and the merged answer says how many it merges", async () => {
  chat.simulator.script({ text: "Draw the tide." });
  chat.simulator.script({ text: "Draw the arches." });
  const page = await openWithTwo();
  await say(page, "Which cover?");
  chat.simulator.script({ text: "Draw arches over the tide." });
  await (await findInPalette(page, "Merge answers")).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Merge answers/ })
    .click();
  await page.getByText("Draw arches over the tide.").waitFor();
  await page.getByText(/merged from 2 answers/).waitFor();
  await composer(page).waitFor();
});

it("answers of several models are compared on Compare, each with its text", async () => {
  chat.simulator.script({ text: "Draw the tide." });
  chat.simulator.script({ text: "Draw the arches." });
  const page = await openWithTwo();
  await say(page, "Which cover?");
  await button(page, "Compare answers").click();
  await page.waitForURL(/\/compare\/[0-9a-f-]{36}/);
  await page.getByText("Draw the tide.").first().waitFor();
  await page.getByText("Draw the arches.").first().waitFor();
});

it("a failed answer is retried in its column, and the other stays", async () => {
  chat.simulator.script({ fault: { kind: "status", status: 400 } });
  chat.simulator.script({ text: "Draw the arches." });
  const page = await openWithTwo();
  await say(page, "Which cover?");
  await page.getByText("Draw the arches.").waitFor();
  chat.simulator.script({ text: "Draw the tide." });
  await button(page, "Retry").click();
  await page.getByText("Draw the tide.").waitFor();
  expect(await columns(page).count()).toBe(2);
});

it("a model whose details fail to load keeps its chip, and the message waits until it is retried or removed", async () => {
  const page = await openWithTwo();
  const details = /\/api\/v1\/models\/[0-9a-f-]+\?.*model=sim-chat/;
  await page.route(details, (route) =>
    route.fulfill({ status: 500, json: { code: "internal", detail: "It broke." } }),
  );
  await page.reload();
  await page.getByText("The details of sim-chat didn’t load.").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const posts = chat.simulator.posts.length;
  await say(page, "Which cover?");
  await page.getByText("Try again or remove sim-chat to send.").waitFor();
  expect(await button(page, /^Send/).isDisabled()).toBe(true);
  expect(chat.simulator.posts).toHaveLength(posts);

  await page.unroute(details);
  await button(page, "Try again").click();
  chat.simulator.script({ text: "Draw the tide." });
  chat.simulator.script({ text: "Draw the arches." });
  await button(page, /^Send to 2 models/).click();
  await soon(() => columns(page).count()).toBe(2);
});

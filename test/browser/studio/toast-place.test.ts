import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chat, composer, startChat } from "../../support/browser/chat-in-browser.ts";

/** The position of toasts: never over controls that send, make or pay. */
let chat: Chat;

beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat?.stop());

const boxOf = async (page: Page, name: RegExp) =>
  (await page.getByRole("button", { name }).boundingBox())!;

/** A phone's composer: the text, and one scrolling row with touch-sized targets. */
async function expectTwoRows(page: Page): Promise<void> {
  const typed = (await composer(page).boundingBox())!;
  const boxes = await page
    .getByRole("main")
    .getByRole("button", { name: /^(Attach files|Model: |Library|Pictures|Dictate|Send)/ })
    .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().toJSON()));
  expect(boxes).toHaveLength(6);
  for (const { height, top } of boxes) {
    expect(height).toBeGreaterThanOrEqual(40);
    expect(top).toBeGreaterThanOrEqual(typed.y + typed.height);
    expect(top).toBeLessThan(typed.y + typed.height + 20);
  }
}

it.each([
  [1440, 900],
  [390, 844],
])(
  "a toast covers neither the composer nor its price and button, at %i wide",
  async (width, height) => {
    const { conversation } = await chat.converse(`How wide is ${width}?`, "That wide.");
    const page = await chat.openProfile({ viewport: { width, height } });
    await page.goto(`/chat/${conversation.id}`);
    await composer(page).fill("And high?");
    await page
      .getByRole("main")
      .getByRole("button", { name: /Actions for/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    const toast = page.getByRole("region", { name: "Notifications" }).getByText("Archived").first();
    await toast.waitFor();
    if (width === 390) await expectTwoRows(page);
    const [send, shown] = [
      await boxOf(page, /^Send/),
      (await page.getByRole("region", { name: "Notifications" }).boundingBox())!,
    ];
    const typed = (await composer(page).boundingBox())!;
    expect(shown.y + shown.height).toBeLessThan(Math.min(send.y, typed.y));
  },
);

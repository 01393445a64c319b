import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chat, composer, startChat } from "../../support/browser/chat-in-browser.ts";

/** Where toasts are: never over what is sent, made or paid for. */
let chat: Chat;

beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat?.stop());

const boxOf = async (page: Page, name: RegExp) =>
  (await page.getByRole("button", { name }).boundingBox())!;

it.each([
  [1440, 900],
  [390, 844],
])(
  "a toast lies over neither the composer nor its price and button, at %i wide",
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
    const [send, shown] = [
      await boxOf(page, /^Send/),
      (await page.getByRole("region", { name: "Notifications" }).boundingBox())!,
    ];
    const typed = (await composer(page).boundingBox())!;
    expect(shown.y + shown.height).toBeLessThan(Math.min(send.y, typed.y));
  },
);

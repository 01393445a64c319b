import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scriptOfPart } from "../../support/browser/built-parts.ts";
import { type Chat, composer, startChat } from "../../support/browser/chat-in-browser.ts";
import { watchPage } from "../../support/browser/strict-page.ts";
import { soon } from "../../support/soon.ts";

/** Lazy code that fails to load. */
let chat: Chat;

beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat?.stop());

const lose = (page: Page, part: string) => page.route(scriptOfPart(part), (route) => route.abort());
/** Cuts the connection for the health check, so that the page doesn't reload by itself. */
const loseLine = (page: Page) => page.route("**/healthz", (route) => route.abort());
const toast = (page: Page) => page.getByRole("region", { name: "Notifications" });

it("a dialog that fails to load leaves the conversation unchanged, says so, and opens after a reload", async () => {
  const { conversation } = await chat.converse("Where do swifts sleep?", "In the air.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await loseLine(page);
  await lose(page, "name-popup");
  const rename = async () => {
    await page
      .getByRole("main")
      .getByRole("button", { name: /Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
  };
  await composer(page).fill("And storks?");
  await rename();
  const again = page.getByRole("button", { name: "Reload the page" });
  await again.waitFor();
  await page.getByText("In the air.").waitFor();
  expect(await composer(page).inputValue()).toBe("And storks?");
  await page.unrouteAll();
  await again.click();
  await soon(() => composer(page).inputValue()).toBe("And storks?");
  await rename();
  await page.getByRole("textbox", { name: "Title" }).waitFor();
});

it("the thread's code can be requested again where it failed to load", async () => {
  const { conversation } = await chat.converse("Where do eels spawn?", "In the Sargasso Sea.");
  const page = await chat.openProfile({ isNew: true });
  await loseLine(page);
  await lose(page, "thread");
  await page.goto(`/chat/${conversation.id}`);
  const again = page.getByRole("main").getByRole("button", { name: "Try again" });
  await again.waitFor();
  await composer(page).waitFor();
  await page.unrouteAll();
  await again.click();
  await page.getByText("In the Sargasso Sea.").waitFor();
});

it("a form whose validator fails to load is sent without it and without a reload", async () => {
  const page = await chat.openProfile({ isNew: true });
  await lose(page, "validate-form");
  let loads = 0;
  page.on("load", () => loads++);
  await page.goto("/create?task=image");
  await page.getByRole("textbox", { name: "Prompt", exact: true }).fill("a heron in the reeds");
  await page.getByRole("button", { name: /^Make \d/ }).click();
  await page
    .getByRole("region", { name: "a heron in the reeds" })
    .locator("a[data-asset]")
    .first()
    .waitFor();
  expect(loads).toBe(1);
});

it("a list that fails to load is reported, and the page still works", async () => {
  const page = await chat.openProfile({ isNew: true });
  const errors = watchPage(page);
  await loseLine(page);
  await lose(page, "opened-search-select");
  await page.goto("/settings/profile");
  await page.getByRole("combobox", { name: "Time zone" }).click();
  await toast(page).getByText("The server could not be reached.").waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).waitFor();
  expect(errors).toEqual([]);
});

it("hovering a link to a screen that the server no longer has changes nothing, and opening it reloads the page", async () => {
  const page = await chat.openProfile({ isNew: true });
  await page.goto("/chat");
  await composer(page).fill("Half a question");
  let [loads, checks] = [0, 0];
  page.on("load", () => loads++);
  page.on("request", (request) => void (request.url().endsWith("/healthz") && checks++));
  const failed = page.evaluate(
    () => new Promise((resolve) => addEventListener("vite:preloadError", resolve, { once: true })),
  );
  await page.route(scriptOfPart("usage-screen"), (route) =>
    loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
  );
  const link = page.getByRole("navigation").getByRole("link", { name: "Usage" });
  await link.hover();
  await failed;
  // Before it reloads, a page asks whether the server answers; that request would be reported
  // before this one.
  await page.evaluate(async () => void (await fetch("/readyz")));
  expect([loads, checks]).toEqual([0, 0]);
  expect(await composer(page).inputValue()).toBe("Half a question");
  await link.click();
  await page.getByRole("heading", { name: "Usage", level: 1 }).waitFor();
  expect(loads).toBe(1);
});

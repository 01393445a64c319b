import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button } from "../../support/browser/locators.ts";
import { savedEntry } from "../../support/browser/saved-entry.ts";
import {
  joinStudio,
  type Studio,
  signInWith,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** Several people who use one browser in turn. */
let browser: Browser;
let studio: Studio;
let ada: { id: string; cookie: string };
let ben: { id: string; cookie: string };

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), startStudio()]);
  const { user } = await studio.api.get<{ user: { id: string } }>("/me");
  ada = { id: user.id, cookie: studio.api.cookie };
  const password = "correct horse battery";
  ben = await joinStudio(studio, {
    name: "Ben",
    email: "ben@example.org",
    password,
    role: "editor",
  });
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

const message = (page: Page) => page.getByRole("main").getByRole("textbox").first();
const prompt = (page: Page) => page.getByRole("textbox", { name: "Prompt", exact: true });
const draftsOn = (page: Page) =>
  page.evaluate(() =>
    [...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((key) =>
      key.startsWith("bottega:draft:"),
    ),
  );
/** The files that the device has saved, once `added` is among them. */
const filesOn = (page: Page, added?: [userId: string, name: string]) =>
  page.evaluate(
    (added) =>
      new Promise<number>((resolve, reject) => {
        const request = indexedDB.open("bottega", 1);
        request.onupgradeneeded = () => request.result.createObjectStore("files");
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
          const files = request.result.transaction("files", "readwrite").objectStore("files");
          if (added) files.put({ bytes: new ArrayBuffer(8), type: "image/png" }, added);
          const count = files.count();
          count.onsuccess = () => {
            request.result.close();
            resolve(count.result);
          };
        };
      }),
    added,
  );

async function typeDrafts(page: Page): Promise<void> {
  await page.goto("/create?task=image");
  await prompt(page).fill("a secret harbor");
  await page.goto("/chat");
  await message(page).fill("a secret thought");
  await soon(() => draftsOn(page).then(({ length }) => length)).toBe(2);
}

it("the sign-in page checks for a session without an error in the browser's console", async () => {
  const { page, context } = await studio.openSignedOut(browser);
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.goto("/create");
  await button(page, "Sign in").waitFor();
  expect(new URL(page.url()).pathname).toBe("/login");
  expect(errors).toEqual([]);
  await context.close();
});

it("another person on the device never sees a draft, and its author finds it again", async () => {
  const { page, context } = await studio.openAs(browser);
  await typeDrafts(page);
  await signInWith(context, studio.url, ben.cookie);
  await page.evaluate(
    ([key, text]) => localStorage.setItem(key, text),
    savedEntry("choice", ben.id, "project", studio.api.projectId),
  );
  await page.goto("/create?task=image");
  await button(page, "Ben, your account").waitFor();
  expect(await prompt(page).inputValue()).toBe("");
  await page.goto("/chat");
  expect(await message(page).inputValue()).toBe("");
  await signInWith(context, studio.url, ada.cookie);
  await page.goto("/chat");
  await soon(() => message(page).inputValue()).toBe("a secret thought");
  await context.close();
});

it("signing out leaves no draft on the device, including text typed last", async () => {
  const { page, context } = await studio.openAs(browser);
  await typeDrafts(page);
  expect(await filesOn(page, [ada.id, "drawing:one"])).toBe(1);
  await message(page).fill("a secret thought, and one more");
  await button(page, "Ada Lovelace, your account").click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(/\/login$/);
  await page.getByRole("textbox", { name: "Email" }).waitFor();
  expect(await draftsOn(page)).toEqual([]);
  expect(await filesOn(page)).toBe(0);
  await context.close();
});

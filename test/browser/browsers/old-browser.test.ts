import { expect, it } from "vitest";
import { setUpStudio } from "../../support/browser/set-up-studio.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";

/** Browsers that are too old, or just new enough. */
const { browser, studio } = setUpStudio();

it("a browser that is too old is shown the required versions, and the app doesn't start", async () => {
  const { page } = await studio().openSignedOut(browser());
  keepStrict(page);
  await page.addInitScript(() => {
    Reflect.deleteProperty(Array.prototype, "toSorted");
  });
  await page.goto("/");
  await page.getByRole("heading", { name: "This browser is too old for Bottega" }).waitFor();
  await page.getByText("Chrome 111, Edge 111, Firefox 121, Safari 16.4").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  expect(await page.getByRole("textbox").count()).toBe(0);
});

it("the oldest supported browsers, without newer features, show chat and a run's activity", async () => {
  const { page } = await studio().openAs(browser());
  keepStrict(page);
  await page.addInitScript(() => {
    Reflect.deleteProperty(Map, "groupBy");
    Reflect.deleteProperty(URL, "parse");
    Reflect.deleteProperty(Promise, "withResolvers");
    Reflect.deleteProperty(Element.prototype, "checkVisibility");
  });
  await page.goto("/chat");
  const composer = page.getByRole("textbox", { name: "Message", exact: true });
  await composer.fill("What is a run?");
  await composer.press("Enter");
  await page.getByRole("article").getByRole("button", { name: "Copy answer" }).waitFor();
  await page.goto("/activity");
  await page.getByRole("main").getByRole("link", { name: "What is a run?" }).click();
  await page.getByRole("heading", { name: "Event log" }).waitFor();
  // After a full load, every text of the page is loaded before it is used.
  await page.reload();
  await page.getByRole("heading", { name: "Event log" }).waitFor();
});

import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers, watchPage } from "../../support/browser/strict-page.ts";
import { type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** Collections, from the selection to their manual order and the trash. */
let browser: Browser;
let studio: Studio;
let page: Page;
const breaches: string[][] = [];
const colors = ["teal", "tomato", "gold", "navy"];

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), startStudio()]);
  for (const color of colors) {
    const picture = sharp({ create: { width: 320, height: 240, channels: 3, background: color } });
    await studio.api.upload(`${color}.png`, await picture.png().toBuffer());
  }
  ({ page } = await studio.openAs(browser));
  breaches.push(watchPage(page));
  await openLibrary();
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

async function openLibrary(): Promise<void> {
  await page.goto("/library");
  await tiles().first().waitFor();
}
const tiles = () => page.getByRole("grid").getByRole("link");
const names = () =>
  tiles().evaluateAll((links) =>
    links.map((link) => (link.getAttribute("aria-label") ?? "").replace(/\.png.*/, "")),
  );
const shows = (...expected: string[]) => expect.poll(names).toEqual(expected);
const row = (name: RegExp | string, list = "Collections") =>
  page.getByRole("navigation", { name: list, exact: true }).getByRole("link", { name });
const option = (name: string | RegExp) => page.getByRole("option", { name });

it("a selection is added to a collection that is created by typing, and another file is dragged onto it", async () => {
  await shows("navy", "gold", "tomato", "teal");
  await tiles().nth(0).hover();
  await page.getByRole("checkbox", { name: "Select navy.png" }).click();
  await tiles().nth(2).hover();
  await page.getByRole("checkbox", { name: "Select tomato.png" }).click();
  await page.keyboard.press("c");
  await page.getByRole("combobox").fill("Lisbon book");
  expect(await findBarriers(page)).toEqual([]);
  await option("Create “Lisbon book”").click();
  await page.getByText("2 items added to Lisbon book").waitFor();
  await page.getByRole("button", { name: "Clear selection" }).click();
  await page
    .getByRole("grid")
    .getByRole("link", { name: "teal.png" })
    .dragTo(row(/Lisbon book/));
  await row(/Lisbon book\s*3/).click();
  await shows("navy", "tomato", "teal");
  expect(await findBarriers(page)).toEqual([]);
});

it("a file in the viewer is added to a collection by the same key, and removed again", async () => {
  await page.goto("/library");
  await page.getByRole("grid").getByRole("link", { name: "gold.png" }).click();
  const acts = page.getByRole("region", { name: "Actions", exact: true });
  await acts.waitFor();
  await page.keyboard.press("c");
  await option(/Lisbon book/).click();
  await page.getByText("1 item added to Lisbon book").waitFor();
  await acts.waitFor();
  await page.keyboard.press("u");
  await page.getByText("Last action undone").waitFor({ state: "attached" });
  await page.keyboard.press("Escape");
  await row(/Lisbon book\s*3/).click();
  await shows("navy", "tomato", "teal");
});

it("items are moved by keys and by dragging, and the order lasts", async () => {
  await tiles().nth(2).hover();
  await page.getByRole("checkbox", { name: "Select teal.png" }).click();
  await page.keyboard.press("[");
  await shows("navy", "teal", "tomato");
  await page.keyboard.press("[");
  await shows("teal", "navy", "tomato");
  await page.keyboard.press("]");
  await shows("navy", "teal", "tomato");
  await page.getByRole("button", { name: "Use as cover" }).click();
  await page.getByText("Set as cover").waitFor();
  await page.getByRole("button", { name: "Clear selection" }).click();
  await tiles()
    .nth(2)
    .dragTo(tiles().nth(0), { targetPosition: { x: 5, y: 40 } });
  await shows("tomato", "navy", "teal");
  await page.reload();
  await shows("tomato", "navy", "teal");
  await tiles().nth(1).hover();
  await page.getByRole("checkbox", { name: "Select navy.png" }).click();
  await page.getByRole("button", { name: "Remove from collection" }).click();
  await shows("tomato", "teal");
  await page.getByText("1 item removed from Lisbon book").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await shows("tomato", "navy", "teal");
});

it("a selection moves to another project, and Undo returns it to its place in the collection", async () => {
  await studio.api.send("POST", "/projects", { name: "Boat yard" });
  await openLibrary();
  await row(/Lisbon book/).click();
  await shows("tomato", "navy", "teal");
  for (const color of ["tomato", "navy"]) {
    await page
      .getByRole("grid")
      .getByRole("link", { name: `${color}.png` })
      .hover();
    await page.getByRole("checkbox", { name: `Select ${color}.png` }).click();
  }
  await page.keyboard.press("Shift+M");
  await option("Boat yard").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await option("Boat yard").click();
  await page.getByText("2 items moved to Boat yard").waitFor();
  await shows("teal");
  await page.getByRole("button", { name: "Undo" }).click();
  await shows("tomato", "navy", "teal");
});

it("a search is saved, and a collection is moved to the trash and restored", async () => {
  await openLibrary();
  await page.getByRole("searchbox").fill("gold");
  await shows("gold");
  await page.getByRole("button", { name: "Save this search" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("All gold");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const saved = row("All gold", "Saved searches");
  const current = async () => [
    await saved.getAttribute("aria-current"),
    await row(/Everything/, "Places").getAttribute("aria-current"),
  ];
  await saved.waitFor();
  await soon(current).toEqual(["page", null]);
  await openLibrary();
  await soon(current).toEqual([null, "page"]);
  await saved.click();
  await shows("gold");
  await soon(current).toEqual(["page", null]);
  await openLibrary();
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("All gold");
  await option(/^All gold.*Saved search/).click();
  await shows("gold");
  expect(await page.getByRole("searchbox").inputValue()).toBe("gold");
  await row(/Lisbon book/).click();
  await shows("tomato", "navy", "teal");
  await row(/Lisbon book/).hover();
  await page.getByRole("button", { name: "Actions for Lisbon book" }).click();
  await page.getByRole("menuitem", { name: "Move to trash" }).click();
  await page.getByText("“Lisbon book” moved to trash").waitFor();
  await shows("navy", "gold", "tomato", "teal");
  await page
    .getByRole("navigation", { name: "Places" })
    .getByRole("link", { name: /Trash/ })
    .click();
  await page.getByRole("button", { name: "Actions for Lisbon book" }).click();
  await page.getByRole("menuitem", { name: "Restore" }).click();
  await page
    .getByRole("navigation", { name: "Places" })
    .getByRole("link", { name: /Everything/ })
    .click();
  await row(/Lisbon book\s*3/).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("no page logged an error or a violation", () => {
  expect(breaches.flat()).toEqual([]);
});

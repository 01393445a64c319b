import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers, watchPage } from "../../support/browser/strict-page.ts";
import { type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";

/** Tags, from the selection to the filter and back. */
let browser: Browser;
let studio: Studio;
let page: Page;
const breaches: string[][] = [];

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), startStudio()]);
  for (const color of ["teal", "tomato", "gold"]) {
    const picture = sharp({ create: { width: 320, height: 240, channels: 3, background: color } });
    await studio.api.upload(`${color}.png`, await picture.png().toBuffer());
  }
  page = await openPage();
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

async function openPage(options: Parameters<Studio["openAs"]>[1] = {}): Promise<Page> {
  const { page: fresh } = await studio.openAs(browser, options);
  breaches.push(watchPage(fresh));
  await fresh.goto("/library");
  await tiles(fresh).first().waitFor();
  return fresh;
}
const tiles = (on = page) => on.getByRole("grid").getByRole("link");
const chips = (on = page) => on.getByRole("region", { name: "Tags", exact: true });
/** The viewer's actions, whose shortcuts load with them. */
const acts = (on = page) => on.getByRole("region", { name: "Actions", exact: true });
const typed = (on = page) => on.getByRole("combobox");
const option = (name: string | RegExp, on = page) => on.getByRole("option", { name });
const count = (number: number, on = page) => expect.poll(() => tiles(on).count()).toBe(number);

it("a selection is tagged by typing, in every tab, and the tag filters the library", async () => {
  const second = await openPage();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("t");
  await typed().fill("🌊".repeat(200));
  await option(/^Create/).click();
  await page.getByText("A tag can have at most 60 characters. This one has 200.").first().waitFor();
  await typed().fill("cover  art");
  await option("Create “cover art”").click();
  await option(/^On all\s*cover art\s*3$/).waitFor();
  await typed().fill("COVER ART");
  await option(/cover art/).waitFor();
  expect(await option(/Create/).count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  // Keys typed while the dialog closes belong to the dialog.
  await typed().waitFor({ state: "detached" });
  await page.keyboard.press("u");
  await chips(second).getByRole("button", { name: "cover art" }).click();
  await second.getByRole("heading", { name: "No matching items" }).waitFor();
  await second.getByRole("button", { name: "Remove filter cover art" }).click();
  await count(3, second);
  await second.context().close();
});

it("a file is tagged in the viewer, found by its tags, and the filter matches all tags or any", async () => {
  await page.goto("/library");
  await tiles().first().click();
  await acts().waitFor();
  await page.keyboard.press("t");
  await typed().fill("sea");
  await option("Create “sea”").click();
  await option(/^On all\s*sea/).waitFor();
  await typed().fill("cov");
  await option(/cover art/).click();
  await option(/^On all\s*cover art/).waitFor();
  await page.keyboard.press("Escape");
  await typed().waitFor({ state: "detached" });
  await page.keyboard.press("i");
  await page.getByRole("button", { name: "Remove tag sea" }).click();
  await page.getByText("Removed tag sea from 1 item").waitFor();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByRole("button", { name: "Remove tag sea" }).waitFor();
  await page.keyboard.press("Escape");
  await tiles().nth(1).click();
  await acts().waitFor();
  await page.keyboard.press("t");
  await option(/cover art/).click();
  await option(/^On all\s*cover art/).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox", { name: /Search prompts/ }).fill("cover");
  await count(2);
  await page.getByRole("searchbox", { name: /Search prompts/ }).fill("");
  await chips().getByRole("button", { name: "sea" }).click();
  await chips().getByRole("button", { name: "cover art" }).click();
  await count(1);
  await page.getByRole("button", { name: "All of these tags" }).click();
  await count(2);
  await page.reload();
  await count(2);
  expect(await findBarriers(page)).toEqual([]);
});

it("a tag is renamed, merged and deleted, and a filter says that it is gone", async () => {
  const { assets } = await studio.api.get<{ assets: { id: string }[] }>(
    `/assets?projectId=${studio.api.projectId}`,
  );
  await studio.api.send("POST", "/assets/update", {
    projectId: studio.api.projectId,
    ids: [assets[2]!.id],
    action: "tag",
    tags: ["final"],
  });
  await page.goto("/library");
  await tiles()
    .nth(1)
    .dragTo(chips().getByRole("button", { name: "sea" }));
  await page.getByText("1 item tagged sea").waitFor();
  await chips().getByRole("button", { name: "sea" }).click();
  await count(2);
  await page.keyboard.press("u");
  await count(1);
  await page.goto("/library");
  await chips().getByRole("button", { name: "sea" }).click();
  await count(1);
  await page.getByRole("button", { name: "Manage tags" }).click();
  const act = async (tag: string, name: string) => {
    await page.getByRole("button", { name: `Actions for tag ${tag}` }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  await act("sea", "Rename…");
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("🌊".repeat(200));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("A tag can have at most 60 characters. This one has 200.").waitFor();
  await name.fill("🌊 ocean");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Actions for tag 🌊 ocean" }).waitFor();
  await act("cover art", "Merge…");
  await option(/ocean/).click();
  const question = page.getByRole("dialog", { name: "Merge “cover art” into “🌊 ocean”?" });
  await question.getByRole("button", { name: "Merge tags" }).click();
  const left = (number: number) =>
    expect.poll(() => page.getByRole("button", { name: /^Actions for tag/ }).count()).toBe(number);
  await left(2);
  await act("🌊 ocean", "Delete…");
  await page.getByText("The tag is removed from 2 items.").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Delete tag" }).click();
  await left(1);
  await page.keyboard.press("Escape");
  await page.getByText("Deleted tag").waitFor();
  await page.getByRole("button", { name: "Remove filter Deleted tag" }).click();
  await count(3);
});

it("no page logged an error or a violation", () => {
  expect(breaches.flat()).toEqual([]);
});

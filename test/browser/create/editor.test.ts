import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset } from "#contract/entities.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { drawn, holdBack } from "../../support/browser/late-answers.ts";
import { findBarriers, watchPage } from "../../support/browser/strict-page.ts";
import { type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** The editor over a picture, opened from every place. */
let browser: Browser;
let studio: Studio;
let page: Page;
let breaches: string[];
let id: string;

const [width, height] = [360, 240];
beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), startStudio()]);
  ({ page } = await studio.openAs(browser, { viewport: { width: 1440, height: 900 } }));
  breaches = watchPage(page);
  const colors = Buffer.from(
    Array.from({ length: width * height }, (_, at) => {
      const [x, y] = [at % width, Math.floor(at / width)];
      return [(x * 255) / width, (y * 255) / height, (x >> 5) % 2 === (y >> 5) % 2 ? 200 : 60];
    }).flat(),
  );
  const bytes = await sharp(colors, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
  id = (await studio.api.upload("low tide.png", bytes)).id;
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

const editor = () => page.getByRole("dialog", { name: "Edit “low tide.png”" });
const results = async () =>
  (
    await studio.api.get<{ assets: Asset[] }>(`/assets?projectId=${studio.api.projectId}&limit=50`)
  ).assets.filter((asset) => asset.id !== id);

it("a picture is straightened and cropped by keyboard, and the result keeps the original's prompt", async () => {
  const { held, release } = await holdBack(page, (request) =>
    request.url().includes("/assets/layout"),
  );
  await page.goto(`/library/${id}`);
  // The library's only picture needs no film strip, but the strip's room doesn't close under a press.
  await page.getByRole("button", { name: /^Edit/ }).hover();
  await page.mouse.down();
  await soon(() => held.length).toBeGreaterThan(0);
  await release();
  await page.getByText("1 of 1").first().waitFor();
  await drawn(page);
  await page.mouse.up();
  await editor().waitFor();
  await soon(() =>
    page.evaluate(() => document.querySelector("[role=dialog]")?.contains(document.activeElement)),
  ).toBe(true);
  const crop = editor().getByRole("button", { name: "Crop picture, free" });
  await crop.waitFor();
  expect(await crop.isDisabled()).toBe(true);
  await editor().getByRole("button", { name: "1:1" }).click();
  await editor()
    .getByRole("button", { name: /^Rectangle, 240 by 240/ })
    .waitFor();
  const straighten = editor().getByRole("slider", { name: "Straighten" });
  await straighten.focus();
  for (let press = 0; press < 5; press++) await straighten.press("PageUp");
  expect(Number(await straighten.inputValue())).toBeGreaterThan(1);
  const rectangle = editor().getByRole("button", { name: /^Rectangle/ });
  await rectangle.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.getByRole("heading", { name: "On the crop rectangle" }).waitFor();
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  await rectangle.press("Shift+ArrowLeft");
  const label = (await rectangle.getAttribute("aria-label"))!;
  const [, wide = 0, tall = 0] = /(\d+) by (\d+)/.exec(label)!.map(Number);
  expect(wide).toBeLessThan(240);
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("ControlOrMeta+Enter");
  await editor().waitFor({ state: "detached" });
  await page.getByRole("dialog", { name: "low tide.png" }).waitFor();
  expect(await results()).toMatchObject([
    { title: "low tide.png", width: wide, height: tall, kind: "image" },
  ]);
});

it("the preview of an adjustment equals the saved picture", async () => {
  await page.goto(`/library?editing=${id}`);
  await editor().getByRole("radio", { name: "Adjust" }).check();
  await editor().getByRole("slider", { name: "Brightness" }).fill("1.2");
  await editor().getByRole("slider", { name: "Hue" }).fill("90");
  const canvas = editor().getByRole("img", { name: "Preview" });
  await soon(() => canvas.getAttribute("data-drawn")).toContain('"brightness":1.2');
  await soon(() => canvas.getAttribute("data-drawn")).toContain('"hue":90');
  const preview = await canvas.evaluate((element) => {
    const { width, height } = element as HTMLCanvasElement;
    const context = (element as HTMLCanvasElement).getContext("2d")!;
    return { width, height, data: [...context.getImageData(0, 0, width, height).data] };
  });
  expect([preview.width, preview.height]).toEqual([width, height]);
  expect(await findBarriers(page)).toEqual([]);
  await editor().getByRole("button", { name: "Adjust picture, free" }).click();
  await editor().waitFor({ state: "detached" });
  const made = (await results()).find((asset) => asset.width === width)!;
  const file = await page.request.get(`/api/v1/assets/${made.id}/file`);
  const pixels = await sharp(await file.body())
    .ensureAlpha()
    .raw()
    .toBuffer();
  const off = preview.data.reduce((sum, value, at) => sum + Math.abs(value - pixels[at]!), 0);
  expect(off / preview.data.length).toBeLessThan(1);
});

it("on a phone the editor's controls are large enough for a finger, and Escape leaves without saving", async () => {
  const { page: phone, context } = await studio.openAs(browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  await phone.goto(`/library/${id}`);
  await phone.getByRole("button", { name: /^Edit/ }).click();
  const dialog = phone.getByRole("dialog", { name: "Edit “low tide.png”" });
  await dialog.getByRole("button", { name: "16:9" }).click();
  const make = dialog.getByRole("button", { name: "Crop picture, free" });
  expect((await make.boundingBox())!.height).toBeGreaterThanOrEqual(40);
  expect(await findBarriers(phone)).toEqual([]);
  await phone.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await phone.getByRole("dialog", { name: "low tide.png" }).waitFor();
  expect(await results()).toHaveLength(2);
  await context.close();
});

it("nothing in the editor violates the page's policy", () => {
  expect(breaches).toEqual([]);
});

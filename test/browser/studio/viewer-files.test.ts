import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import { type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { makeGlb, packGlb } from "../../support/glb.ts";
import { soon } from "../../support/soon.ts";

/** The viewer with files other than pictures; 3D models without a graphics card. */
let browser: Browser;
let studio: Studio;
let page: Page;

beforeAll(async () => {
  [browser, studio] = await Promise.all([
    launchBrowser(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]),
    startStudio(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

const open = async (name: string, bytes: Uint8Array) => {
  ({ page } = await studio.openAs(browser));
  keepStrict(page);
  const { id } = await studio.api.upload(name, bytes);
  await page.goto(`/library/${id}`);
};
const model = () => page.getByRole("img", { name: /a 3D model/ });
/** The numbers of red and blue pixels in the model's frame; reflections make them paler. */
async function countColors(): Promise<{ red: number; blue: number }> {
  const { data } = await sharp(await model().screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let [red, blue] = [0, 0];
  for (let at = 0; at < data.length; at += 3) {
    const [r, g, b] = [data[at]!, data[at + 1]!, data[at + 2]!];
    if (r > 1.5 * g && r > 1.5 * b && r > 60) red++;
    if (b > 1.5 * g && b > 1.5 * r && b > 60) blue++;
  }
  return { red, blue };
}

it("a 3D model is shown with its own textures, and rotates by keys and by dragging", async () => {
  await open("board.glb", await makeGlb());
  await soon(async () => {
    const { red, blue } = await countColors();
    return red > 1_000 && blue > 1_000;
  }).toBe(true);
  expect(await findBarriers(page)).toEqual([]);

  const whole = await countColors();
  // By 2 radians, past the front, so that it is seen edge-on.
  for (let press = 0; press < 10; press++) await page.keyboard.press("Shift+ArrowRight");
  await soon(async () => (await countColors()).red < whole.red / 2).toBe(true);
  await page.keyboard.press("0");
  await soon(async () => (await countColors()).red).toBe(whole.red);

  const { x, y, width, height } = (await model().boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 120, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await soon(async () => (await countColors()).red).not.toBe(whole.red);
  await page.getByRole("button", { name: "Fit to window" }).click();
  await soon(async () => (await countColors()).red).toBe(whole.red);
});

it("a 3D model that can't be read says so and can be downloaded", async () => {
  await open("torn.glb", packGlb({ asset: { version: "2.0" }, scene: 7 }, Buffer.alloc(4)));
  await page.getByText("This 3D model can’t be shown here.").waitFor();
  await page.getByRole("link", { name: "Download" }).first().waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("a Markdown file is shown formatted, and as source on request", async () => {
  await open(
    "notes.md",
    Buffer.from("# Plan\n\n- one\n- **two**\n\n<b onclick='alert(1)'>raw</b>\n"),
  );
  await page.getByRole("heading", { name: "Plan" }).waitFor();
  await page.locator("strong", { hasText: "two" }).waitFor();
  expect(await page.locator("b[onclick]").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("radio", { name: "Source" }).click();
  await page.getByText("**two**").waitFor();
});

import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import sharp from "sharp";
import { launchBrowser } from "../support/browser/chromium.ts";
import { openStudio, type Shown } from "./studio.ts";

/** Takes the README's screenshots. Arguments select some: `npm run screenshots -- chat dark`. */
const folder = join(import.meta.dirname, "..", "..", "docs", "screenshots");
const desk: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  deviceScaleFactor: 1.5,
};
const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

type Shot = { look: BrowserContextOptions; show: (page: Page, shown: Shown) => Promise<void> };
const shots: Record<string, Shot> = {
  chat: {
    look: desk,
    async show(page, { conversationId }) {
      await page.goto(`/chat/${conversationId}`);
      const answer = page.getByRole("article");
      await answer.getByRole("button", { name: "Copy answer" }).waitFor();
      // Starting at the question, because a conversation opens at its end.
      await page
        .getByRole("region", { name: "Conversation" })
        .getByText("What is a run?")
        .first()
        .scrollIntoViewIfNeeded();
    },
  },
  create: {
    look: desk,
    async show(page) {
      await page.goto("/create?task=image");
      await page.getByRole("textbox", { name: "Prompt", exact: true }).fill("a boat at low tide");
    },
  },
  library: { look: desk, show: async (page) => void (await page.goto("/library")) },
  draw: { look: desk, show: drawHills },
  phone: { look: phone, show: async (page) => void (await page.goto("/library")) },
  dark: {
    look: { ...desk, colorScheme: "dark" },
    show: async (page) => void (await page.goto("/")),
  },
};

/** Draws three ridges and a sun on the canvas, with the resulting picture. */
async function drawHills(page: Page): Promise<void> {
  await page.goto("/draw");
  await page.getByRole("textbox", { name: "Prompt" }).fill("quiet hills at dusk");
  const box = (await page.getByRole("application", { name: "Drawing" }).boundingBox())!;
  const at = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const;
  for (const [height, wave] of [
    [0.45, 0.06],
    [0.6, 0.05],
    [0.78, 0.04],
  ] as const) {
    await page.mouse.move(...at(0.05, height));
    await page.mouse.down();
    for (let x = 0.05; x <= 0.95; x += 0.03)
      await page.mouse.move(...at(x, height + wave * Math.sin(x * 9 + height * 20)));
    await page.mouse.up();
  }
  await page.mouse.move(...at(0.78, 0.2));
  await page.mouse.down();
  for (let turn = 0; turn <= 6.6; turn += 0.3)
    await page.mouse.move(...at(0.72 + 0.06 * Math.cos(turn), 0.2 + 0.06 * Math.sin(turn)));
  await page.mouse.up();
  await page.getByRole("img", { name: /^Live picture of/ }).waitFor();
  await page.locator('[role="img"][aria-busy="false"]').waitFor();
}

/** Waits until every visible picture has loaded and nothing moves. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() =>
    [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
  );
  await page.evaluate(() => document.fonts.ready);
}

async function shoot(browser: Browser, shown: Shown, name: string, shot: Shot): Promise<void> {
  const { page, context } = await shown.studio.openAs(browser, { ...shot.look, isNew: true });
  await shot.show(page, shown);
  await settle(page);
  const file = join(folder, `${name}.webp`);
  await sharp(await page.screenshot())
    .webp({ quality: 82, effort: 6 })
    .toFile(file);
  await context.close();
  console.log(`${name}.webp, ${Math.round((await stat(file)).size / 1024)} KB`);
}

const wanted = process.argv.slice(2);
const dataFolder = await mkdtemp(join(tmpdir(), "bottega-screenshots-"));
const browser = await launchBrowser();
try {
  const shown = await openStudio(dataFolder);
  try {
    for (const [name, shot] of Object.entries(shots))
      if (wanted.length === 0 || wanted.includes(name)) await shoot(browser, shown, name, shot);
  } finally {
    await shown.studio.stop();
  }
} finally {
  await browser.close();
  await rm(dataFolder, { recursive: true, force: true });
}

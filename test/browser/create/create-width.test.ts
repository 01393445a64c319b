import type { Browser, JSHandle, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Run } from "#contract/entities.ts";
import { startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import {
  builtinConnection,
  connectKind,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** The batches in view in Create stay in view when the window's width changes. */
let browser: Browser;
let studio: Studio;
const phone = { width: 390, height: 844 };
const turnedPhone = { width: 844, height: 390 };
const wide = { width: 1_440, height: 900 };

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), startStudio()]);
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

const show = (page: Page, tab: "Form" | "Results") =>
  page.getByRole("radio", { name: tab }).check();
const batches = (page: Page) => page.getByRole("region", { name: /^tide / });
const feedOf = (page: Page): Promise<JSHandle<HTMLElement>> =>
  batches(page)
    .first()
    .evaluateHandle((batch) => {
      let scroller = batch.parentElement;
      while (scroller && getComputedStyle(scroller).overflowY !== "auto")
        scroller = scroller.parentElement;
      return scroller as HTMLElement;
    });

/** The batch that fills most of the view below its top edge. */
const seen = (feed: JSHandle<HTMLElement>) =>
  feed.evaluate((scroller) => {
    const edge = scroller.getBoundingClientRect().top + 100;
    const under = [...scroller.querySelectorAll("section")].find((section) => {
      const { top, bottom } = section.getBoundingClientRect();
      return top <= edge && bottom > edge;
    });
    return scroller.isConnected ? (under?.ariaLabel ?? null) : null;
  });

it("a narrowed window and a rotated phone stay at the batch in view", async () => {
  const models = [{ connectionId: await builtinConnection(studio.api), modelId: "pattern" }];
  const { projectId } = studio.api;
  for (let place = 0; place < 24; place++)
    await studio.api.send("POST", "/runs", {
      projectId,
      models,
      task: "image",
      input: { prompt: `tide ${place}`, image_size: { width: 64, height: 64 } },
    });
  await soon(async () => {
    const { runs } = await studio.api.get<{ runs: Run[] }>(`/runs?projectId=${projectId}`);
    return runs.filter(({ state }) => state === "succeeded").length;
  }).toBe(24);

  const { page, context } = await studio.openAs(browser, { viewport: wide });
  await page.goto("/create?task=image");
  await batches(page).first().waitFor();
  const feed = await feedOf(page);
  await soon(async () => {
    await feed.evaluate((scroller) => scroller.scrollBy(0, 200));
    return seen(feed);
  }).toBe("tide 15");

  await page.setViewportSize(phone);
  await page.getByRole("radio", { name: "Form" }).waitFor();
  // It is kept behind the form, hidden from everyone.
  expect(await feed.evaluate(({ isConnected }) => isConnected)).toBe(true);
  expect(await batches(page).count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await show(page, "Results");
  await soon(() => seen(feed)).toBe("tide 15");
  for (const size of [turnedPhone, phone, wide]) {
    await page.setViewportSize(size);
    await soon(() => seen(feed)).toBe("tide 15");
  }
  await context.close();
});

it("a phone that opens on the form renders no results before they are opened, and then keeps them", async () => {
  const { page, context } = await studio.openAs(browser, { viewport: phone });
  await page.goto("/create?task=image");
  await page.getByRole("radio", { name: "Form" }).waitFor();
  await page.getByRole("textbox", { name: "Prompt", exact: true }).waitFor();
  expect(await page.locator("section[aria-label^='tide ']").count()).toBe(0);
  await show(page, "Results");
  await batches(page).first().waitFor();
  const feed = await feedOf(page);
  await soon(async () => {
    await feed.evaluate((scroller) => scroller.scrollBy(0, 200));
    return seen(feed);
  }).toBe("tide 18");
  await show(page, "Form");
  await page.getByRole("textbox", { name: "Prompt", exact: true }).fill("a lantern");
  await show(page, "Results");
  await soon(() => seen(feed)).toBe("tide 18");
  await context.close();
});

it("on a phone, an unconfirmed run's text isn't covered by the tile's tools, and its button is whole", async () => {
  const fal = await startFal();
  onTestFinished(() => fal.stop());
  const connectionId = await connectKind(studio.api, "fal", fal.values);
  await studio.api.send("POST", "/runs", {
    projectId: studio.api.projectId,
    models: [{ connectionId, modelId: "sim/flux/dev" }],
    task: "image",
    input: { prompt: "lost at sea [sim:lost-reply]" },
  });
  const { page, context } = await studio.openAs(browser, {
    viewport: phone,
    isMobile: true,
    hasTouch: true,
  });
  await page.goto("/create?task=image");
  await show(page, "Results");
  const batch = page.getByRole("region", { name: /^lost at sea/ });
  const tools = (await batch.getByRole("button", { name: "Details", exact: true }).boundingBox())!;
  const words = batch.getByText("Check before paying again.");
  const lines = await words.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return [...range.getClientRects()].map(({ right, top }) => ({ right, top }));
  });
  for (const { right, top } of lines)
    expect(right <= tools.x || top >= tools.y + tools.height).toBe(true);
  const resolve = (await batch.getByRole("button", { name: "Resolve" }).boundingBox())!;
  const tile = (await batch.locator('[data-state="unconfirmed"]').boundingBox())!;
  expect(resolve.y + resolve.height).toBeLessThanOrEqual(tile.y + tile.height);
  await context.close();
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { type OpenAi, startOpenAi } from "../../simulators/openai.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { connectKind, type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/**
 * Three models with different size fields: named sizes, a list of sizes, and names with custom
 * sides.
 */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let openai: OpenAi;
let page: Page;

beforeAll(async () => {
  [browser, studio, fal, openai] = await Promise.all([
    launchBrowser(),
    startStudio(),
    startFal(),
    startOpenAi(),
  ]);
  const falId = await connectKind(studio.api, "fal", fal.values);
  await connectKind(studio.api, "openai", { api: openai.url, key: openai.key });
  ({ page } = await studio.openAs(browser));
  await page.goto(`/create?task=image&model=${falId}/sim/flux/dev`);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), fal?.stop(), openai?.stop()]);
});

const shapes = () => page.getByRole("radiogroup", { name: "Aspect ratio" });

async function add(model: string): Promise<void> {
  await page.getByRole("button", { name: "Add model" }).click();
  await page.getByRole("searchbox", { name: "Search models" }).fill(model);
  await page.getByRole("listitem").filter({ hasText: model }).getByRole("button").first().click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

it("models with different size fields share a shape, which starts with the first model's size", async () => {
  await page.getByRole("radio", { name: "Portrait 16:9" }).check();
  await add("gpt-image-2");
  await shapes().waitFor();
  await soon(() => shapes().getByRole("radio", { name: "9:16" }).isChecked()).toBe(true);
  await page.getByText("gpt-image-2 makes 2:3 instead.").waitFor();
  await add("Pattern");
  await shapes().getByRole("radio", { name: "16:9", exact: true }).check();
  await page.getByText("gpt-image-2 makes 3:2 instead.").waitFor();
});

it("each model is sent the shape in its own field and has a row under its name", async () => {
  await page.getByRole("textbox", { name: "Prompt", exact: true }).fill("a wide quay");
  await page.getByRole("button", { name: /^Make 3 pictures/ }).click();
  const batch = page.getByRole("region", { name: "a wide quay" });
  await soon(() => batch.locator("a[data-asset]").count()).toBe(3);
  const names = ["Simulated Flux", "gpt-image-2", "Pattern (procedural)"];
  for (const name of names) await batch.getByRole("heading", { name }).waitFor();
  const { runs } = await studio.api.get<{ runs: Run[] }>(`/runs?projectId=${studio.api.projectId}`);
  const sizes = runs.map(({ input }) => input.image_size ?? input.size);
  expect(sizes.sort()).toEqual(["1536x1024", "landscape_16_9", "landscape_16_9"]);
});

it("a single model has its own size again, and the shape is remembered for the next comparison", async () => {
  await page.getByRole("button", { name: "Remove gpt-image-2" }).click();
  await page.getByRole("button", { name: "Remove Pattern (procedural)" }).click();
  await page.getByRole("radio", { name: "Portrait 16:9" }).waitFor();
  expect(await shapes().count()).toBe(0);
  await add("gpt-image-2");
  await soon(() => shapes().getByRole("radio", { name: "16:9", exact: true }).isChecked()).toBe(
    true,
  );
});

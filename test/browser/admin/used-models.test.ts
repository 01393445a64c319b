import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { holdBack } from "../../support/browser/late-answers.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import {
  builtinConnection,
  connectKind,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";

/** Models by their results in this project. */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let falId: string;
let builtin: string;

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  falId = await connectKind(studio.api, "fal", fal.values);
  builtin = await builtinConnection(studio.api);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), fal?.stop()]);
});

async function make(connectionId: string, modelId: string, prompts: string[]): Promise<void> {
  for (const prompt of prompts) {
    const { runs } = await studio.api.send<{ runs: Run[] }>("POST", "/runs", {
      projectId: studio.api.projectId,
      models: [{ connectionId, modelId }],
      task: "image",
      input: { prompt },
    });
    for (const { id } of runs)
      await until("the picture is made", async () => {
        const { run } = await studio.api.get<{ run: Run }>(`/runs/${id}`);
        return run.state === "succeeded";
      });
  }
}
async function open(options: Parameters<Studio["openAs"]>[1] = {}): Promise<Page> {
  const { page } = await studio.openAs(browser, options);
  keepStrict(page);
  await page.goto("/models");
  return page;
}
const cards = (page: Page) =>
  page.getByRole("list", { name: "Models used in this project" }).getByRole("listitem");

it("before anything is made, Models lists every model", async () => {
  const page = await open();
  await page
    .getByRole("list", { name: "Models" })
    .getByRole("listitem")
    .filter({ hasText: "Simulated Flux" })
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Used here" }).click();
  await page.getByText("Nothing made here yet").waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("a used model shows its newest pictures, its price and its time, without a reload", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Used here" }).click();
  await make(builtin, "pattern", ["hills", "reeds", "a bay", "dunes"]);
  const card = cards(page).filter({ hasText: "Pattern (procedural)" });
  await card.getByRole("link", { name: "dunes" }).waitFor();
  expect(await card.getByRole("link", { name: "hills" }).count()).toBe(0);
  await card.getByText("free").waitFor();
  await card.getByText(/\d s here$/).waitFor();

  await make(falId, "sim/flux/dev", ["a lighthouse"]);
  await cards(page).filter({ hasText: "$0.025 a megapixel" }).first().waitFor();
  expect(await cards(page).locator("h2").allTextContents()).toEqual([
    "Simulated Flux",
    "Pattern (procedural)",
  ]);
  expect(await findBarriers(page)).toEqual([]);
});

it("a picture opens in the viewer over the gallery, and the name links to the model", async () => {
  const page = await open({ colorScheme: "dark" });
  await cards(page).getByRole("link", { name: "dunes" }).click();
  await page.locator("[data-takes-shortcuts]").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => !url.search.includes("viewing"));
  expect(await findBarriers(page)).toEqual([]);
  await cards(page).getByRole("link", { name: "Pattern (procedural)" }).click();
  await page.getByRole("heading", { name: "Made with this model" }).waitFor();
});

it("a search covers all models, and Used here returns with one press", async () => {
  const page = await open();
  await cards(page).first().waitFor();
  await page.getByRole("searchbox", { name: "Search models" }).fill("kling");
  await page
    .getByRole("list", { name: "Models" })
    .getByRole("listitem")
    .filter({ hasText: "Simulated Kling" })
    .waitFor();
  await page.getByRole("button", { name: "Used here" }).click();
  await cards(page).first().waitFor();
});

it("a task without results here lists the models that support it", async () => {
  const page = await open();
  await cards(page).first().waitFor();
  await page
    .getByRole("navigation", { name: "Task" })
    .getByRole("link", { name: /^Speech/ })
    .click();
  await page.getByRole("list", { name: "Models" }).getByRole("listitem").first().waitFor();
  await page.getByRole("button", { name: "Remove filter “Speech”" }).click();
  await cards(page).first().waitFor();
});

it("a family and a place filter the used models, in an address that survives a reload", async () => {
  const page = await open();
  const names = () => cards(page).locator("h2").allTextContents();
  await page
    .getByRole("navigation", { name: "Family" })
    .getByRole("link", { name: /^FLUX/ })
    .click();
  await expect.poll(names).toEqual(["Simulated Flux"]);
  await cards(page).getByRole("list", { name: "Accepts" }).getByText("text").waitFor();
  await page.reload();
  await expect.poll(names).toEqual(["Simulated Flux"]);
  await page.getByRole("button", { name: "Remove filter “FLUX”" }).click();
  await page.goto("/models?runsOn=local");
  await expect.poll(names).toEqual(["Pattern (procedural)"]);
  expect(await findBarriers(page)).toEqual([]);
});

it("one prompt is tried on models chosen by their cards, and Create shows the total price", async () => {
  const page = await open();
  await cards(page).first().waitFor();
  await page.getByRole("checkbox", { name: "Choose Simulated Flux to try" }).check();
  const begin = page.getByRole("button", { name: "Try 1 model", exact: true });
  await begin.click();
  const dialog = page.getByRole("dialog", { name: "Try a prompt on four models" });
  await dialog.getByLabel("Prompt", { exact: true }).fill("a {red|blue} boat");
  // A closed dialog keeps the typed text.
  await page.keyboard.press("Escape");
  await begin.click();
  await dialog.getByRole("checkbox", { name: /^Pattern \(procedural\)/ }).check();
  const submit = dialog.getByRole("button", { name: "Open in Create: 2 results, about $0.025" });
  await submit.waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await submit.click();
  await page.getByRole("button", { name: "Make 2 pictures, about $0.025" }).waitFor();
  // A prompt is taken literally: its braces create no further results.
  expect(await page.getByLabel("Prompt", { exact: true }).inputValue()).toBe(
    "a \\{red\\|blue\\} boat",
  );
});

it("the pickers start with starred and recently used models, and Enter picks the first search result", async () => {
  await studio.api.send("PUT", `/models/${falId}/star`, { modelId: "acme/ideogram/v3" });
  const page = await open();
  await page.goto("/create");
  await page
    .getByRole("button", { name: /^Pattern \(procedural\)/ })
    .first()
    .click();
  const rows = page.getByRole("dialog").getByRole("list", { name: "Models" }).getByRole("listitem");
  await rows.nth(2).waitFor();
  expect((await rows.locator("button").allTextContents()).slice(0, 3)).toEqual([
    expect.stringContaining("Simulated Ideogram"),
    expect.stringContaining("Simulated Flux"),
    expect.stringContaining("Pattern (procedural)"),
  ]);
  const search = page.getByRole("dialog").getByRole("searchbox");
  // Enter precedes the slow search's results, and none of the previous rows is chosen.
  const { held, release } = await holdBack(page, (request) =>
    /[?&]search=simulated/.test(request.url()),
  );
  await search.fill("simulated fl");
  await search.press("Enter");
  await soon(() => held.length).toBe(1);
  await release();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page
    .getByRole("button", { name: /^Simulated Flux/ })
    .first()
    .waitFor();
});

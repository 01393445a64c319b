import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Model, Run } from "#contract/entities.ts";
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

const suggested = (page: Page) =>
  page.getByRole("region", { name: "Not used here yet" }).locator("[data-row]");

it("a new project's Models opens as a gallery: models with a provider's sample first, others drawn, all from this server", async () => {
  const page = await open({ isNew: true });
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).origin));
  await page.reload();
  const flux = suggested(page).filter({ has: page.getByRole("heading", { name: /Flux/ }) });
  await flux.getByText("Sample from fal").first().waitFor();
  await soon(() =>
    flux
      .first()
      .locator("img")
      .evaluate((image: HTMLImageElement) => image.naturalWidth),
  ).toBeGreaterThan(0);
  for (const words of ["$0.025 a megapixel", "not used here", "text"])
    await flux.first().getByText(words).waitFor();
  const guide = suggested(page).filter({ hasText: "Guide" });
  expect(await guide.locator("img").count()).toBe(0);
  const all = await suggested(page).locator("h3").allTextContents();
  expect(all.indexOf("Guide")).toBeGreaterThan(all.indexOf("Simulated Flux"));
  expect([...hosts]).toEqual([studio.url]);
  expect(await findBarriers(page)).toEqual([]);
});

it("a star given in the gallery stays, and leads the pickers", async () => {
  const page = await open();
  const star = page.getByRole("button", { name: "Star Simulated Ideogram" });
  await star.click();
  await soon(() => star.getAttribute("aria-pressed")).toBe("true");
  // The star shows before it is saved.
  const starred = async () => {
    const path = `/models?projectId=${studio.api.projectId}&starred=true`;
    const { models } = await studio.api.get<{ models: Model[] }>(path);
    return models.map(({ modelId }) => modelId);
  };
  await soon(starred).toEqual(["acme/ideogram/v3"]);
  await page.getByRole("navigation", { name: "Task" }).getByRole("link").first().click();
  expect(await star.getAttribute("aria-pressed")).toBe("true");
});

it("a failing list says so in the gallery, with a way to try again", async () => {
  const { page } = await studio.openAs(browser, { isNew: true });
  keepStrict(page);
  let isFailing = true;
  await page.route(/\/api\/v1\/models\?/, (route) =>
    isFailing ? route.fulfill({ status: 500, json: {} }) : route.continue(),
  );
  await page.goto("/models");
  const again = page.getByRole("main").getByRole("button", { name: "Try again" });
  await again.waitFor();
  expect(await findBarriers(page)).toEqual([]);
  isFailing = false;
  await again.click();
  await suggested(page).first().waitFor();
});

it("a used model shows its newest pictures, its price and its time, without a reload", async () => {
  const page = await open();
  await suggested(page).first().waitFor();
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

it("the gallery is sorted by price, the fastest or the last used model", async () => {
  const page = await open();
  const names = () => cards(page).locator("h2").allTextContents();
  await soon(names).toEqual(["Simulated Flux", "Pattern (procedural)"]);
  const sort = async (from: string, to: string) => {
    await page.getByRole("button", { name: from, exact: true }).click();
    await page.getByRole("menuitemcheckbox", { name: to, exact: true }).click();
  };
  await sort("Last used", "Lowest price");
  await soon(names).toEqual(["Pattern (procedural)", "Simulated Flux"]);
  await page.reload();
  await page.getByRole("button", { name: "Lowest price", exact: true }).waitFor();
  await soon(names).toEqual(["Pattern (procedural)", "Simulated Flux"]);
  await sort("Lowest price", "Last used");
  await soon(names).toEqual(["Simulated Flux", "Pattern (procedural)"]);
  for (const [from, to] of [
    ["Last used", "Best rated"],
    ["Best rated", "Fastest"],
    ["Fastest", "Newest"],
  ] as const) {
    await sort(from, to);
    await soon(names).toHaveLength(2);
  }
  // The catalog has the same order by release, and others instead of those measured here.
  await page.getByRole("button", { name: "All models", exact: true }).click();
  await page.getByRole("button", { name: "Newest", exact: true }).click();
  expect(await page.getByRole("menuitemcheckbox", { name: "Fastest" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  expect(await findBarriers(page)).toEqual([]);
});

it("a picture opens in the viewer over the gallery, and the name links to the model", async () => {
  const page = await open({ colorScheme: "dark" });
  const dunes = cards(page).getByRole("link", { name: "dunes" });
  await dunes.hover();
  await dunes.locator("..").getByRole("button", { name: "Vary 4, free" }).waitFor();
  await dunes.click({ position: { x: 9, y: 9 } });
  await page.locator("[data-takes-shortcuts]").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => !url.search.includes("viewing"));
  expect(await findBarriers(page)).toEqual([]);
  await cards(page).getByRole("link", { name: "Pattern (procedural)" }).click();
  await page.getByRole("heading", { name: "Made with this model" }).waitFor();
});

it("a search covers all models, and Gallery returns with one press", async () => {
  const page = await open();
  await cards(page).first().waitFor();
  await page.getByRole("searchbox", { name: "Search models" }).fill("kling");
  await page
    .getByRole("list", { name: "Models" })
    .getByRole("listitem")
    .filter({ hasText: "Simulated Kling" })
    .waitFor();
  await page.getByRole("button", { name: "Gallery" }).click();
  await cards(page).first().waitFor();
});

it("a task without results here shows the models that support it", async () => {
  const page = await open();
  await cards(page).first().waitFor();
  await page
    .getByRole("navigation", { name: "Task" })
    .getByRole("link", { name: /^Speech/ })
    .click();
  await soon(() => cards(page).count()).toBe(0);
  await suggested(page).first().waitFor();
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
  const page = await open({ viewport: { width: 390, height: 844 } });
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
  // On a phone too, a row shows the connection, the price and the accepted inputs.
  const flux = rows.nth(1).locator("button");
  const edge = (await flux.boundingBox())!;
  for (const part of [
    flux.getByText(/^fal · \$0.025 a megapixel/),
    flux.getByRole("img", { name: /^Accepts .*text/ }),
  ]) {
    const box = (await part.boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(edge.x + edge.width);
  }
  expect(await findBarriers(page, "[role=dialog]")).toEqual([]);
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

it("the default picture model and aspect ratio start a new form in Create, and pictures made from Home", async () => {
  const page = await open();
  await page.goto("/settings/defaults");
  await page.getByRole("button", { name: "Choose a model" }).last().click();
  await page
    .getByRole("option", { name: /^Simulated Flux/ })
    .first()
    .click();
  await page.getByRole("button", { name: "Model: Simulated Flux. Choose another" }).waitFor();
  await page.getByRole("combobox", { name: "Aspect ratio" }).click();
  await page.getByRole("option", { name: "16:9" }).click();
  const saved = async () =>
    (await studio.api.get<{ user: { defaults: object } }>("/me")).user.defaults;
  await soon(saved).toMatchObject({
    pictureModel: { connectionId: falId, modelId: "sim/flux/dev" },
    pictureShape: "16:9",
  });
  expect(await findBarriers(page)).toEqual([]);

  await page.goto("/create?task=image");
  await page.getByLabel("Prompt", { exact: true }).fill("a wide bay");
  await page.getByRole("button", { name: /^Make 1 picture/ }).click();
  await page.goto("/");
  await page.getByRole("button", { name: "Picture", exact: true }).click();
  await page.getByRole("button", { name: /^Model: Simulated Flux/ }).waitFor();
  await page.getByRole("textbox").fill("a wide beach");
  await page.keyboard.press("Enter");
  const made = async () => {
    const { runs } = await studio.api.get<{ runs: Run[] }>(
      `/runs?projectId=${studio.api.projectId}`,
    );
    return runs
      .filter(({ input }) => String(input.prompt).startsWith("a wide b"))
      .map(({ modelId, input }) => `${input.prompt}: ${modelId} ${input.image_size}`)
      .sort();
  };
  await soon(made).toEqual([
    "a wide bay: sim/flux/dev landscape_16_9",
    "a wide beach: sim/flux/dev landscape_16_9",
  ]);
});

import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import {
  type OpenAiCompatible,
  startOpenAiCompatible,
} from "../../simulators/openai-compatible.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { connectKind, type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** Create's form: pinned and folded fields, and values taken over from other screens. */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let falId: string;
let chat: OpenAiCompatible;
let page: Page;

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  falId = await connectKind(studio.api, "fal", fal.values);
  ({ page } = await studio.openAs(browser));
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), fal?.stop(), chat?.stop()]);
});

const make = (on = page) => on.getByRole("button", { name: /^Make \d/ });
const prompt = (on = page) => on.getByRole("textbox", { name: "Prompt", exact: true });
const settings = (on = page) => on.locator("summary", { hasText: "Settings" });
async function openFlux(on = page): Promise<void> {
  await on.goto(`/create?task=image&model=${falId}/sim/flux/dev`);
  await make(on).waitFor();
  await prompt(on).waitFor();
}

it("settings are folded behind one line that lists the differences from the model's defaults", async () => {
  await openFlux();
  await page.getByText("Model defaults").waitFor();
  await settings().click();
  await page.getByLabel("Seed", { exact: true }).fill("88213");
  await page.getByRole("slider", { name: "Num inference steps" }).fill("40");
  await settings().click();
  await settings().getByText("Num inference steps 40, Seed 88213").waitFor();
  await settings().click();
  await page.getByRole("slider", { name: "Num inference steps" }).fill("28");
  await settings().getByText("Seed 88213", { exact: true }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  // The fold stays as it was left, with another model too.
  const isFolded = () => page.locator("details:not([open]) > summary", { hasText: "Settings" });
  await page.getByRole("button", { name: "Change model", exact: true }).click();
  await page.getByRole("listitem").filter({ hasText: "Pattern" }).getByRole("button").click();
  await page.getByRole("radio", { name: "Dense" }).waitFor();
  await settings().click();
  await isFolded().waitFor();
  await openFlux();
  await isFolded().waitFor();
});

it.each([
  ["a desktop", { width: 1440, height: 900 }],
  ["a phone", { width: 390, height: 844 }],
])("prompt, size and button stay visible while the settings scroll, on %s", async (_, viewport) => {
  const opened = await studio.openAs(browser, { viewport });
  await openFlux(opened.page);
  await prompt(opened.page).fill("a long prompt\n".repeat(40));
  await settings(opened.page).click();
  const last = opened.page.locator("details").getByRole("slider").last();
  await last.scrollIntoViewIfNeeded();
  await last.focus();
  for (const one of [prompt(opened.page), make(opened.page), last])
    expect(await isUncovered(one)).toBe(true);
  expect(await isUncovered(opened.page.getByRole("radio", { name: "Custom" }))).toBe(true);
  await opened.context.close();
});

/** Whether an element's center is visible: in the window and not covered. */
const isUncovered = (one: ReturnType<typeof prompt>): Promise<boolean> =>
  one.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return element.contains(there) || there?.contains(element) === true;
  });

it("a run from Home fills the form, without its seed, and the earlier draft can be restored", async () => {
  await page.goto("/create?task=image");
  await page.getByRole("button", { name: "Change model", exact: true }).click();
  await page.getByRole("listitem").filter({ hasText: "Pattern" }).getByRole("button").click();
  await prompt().fill("a draft that stays");
  await page.goto("/");
  await page.getByRole("toolbar").getByRole("button", { name: "Picture" }).click();
  await page.getByRole("textbox").first().fill("quiet hills at dusk");
  await page.getByRole("button", { name: /^Model: / }).waitFor();
  await page.getByRole("textbox").first().press("Enter");
  await page.getByRole("link", { name: "Open in Create" }).click();
  await page.waitForURL("**/create");
  await soon(() => prompt().inputValue()).toBe("quiet hills at dusk");
  await page.getByText("Model defaults").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await soon(() => prompt().inputValue()).toBe("a draft that stays");
});

it("the form follows the selected result, and the draft returns with one press", async () => {
  await prompt().fill("half a thought");
  const tile = page.locator("a[data-asset]").first();
  await tile.hover();
  await tile.locator("..").getByRole("button", { name: "Details" }).click();
  await soon(() => prompt().inputValue()).toBe("quiet hills at dusk");
  await page.getByText("Recipe of “quiet hills at dusk”").waitFor();
  await page.getByText("Loaded the recipe into the form").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.reload();
  await soon(() => prompt().inputValue()).toBe("quiet hills at dusk");
  await prompt().fill("quiet hills at dawn");
  await page.getByRole("button", { name: "Restore draft" }).click();
  await soon(() => prompt().inputValue()).toBe("half a thought");
  await page.getByRole("button", { name: "Undo" }).click();
  await soon(() => prompt().inputValue()).toBe("quiet hills at dawn");
  await page.getByRole("button", { name: "Restore draft" }).click();
  await soon(() => prompt().inputValue()).toBe("half a thought");
});

it("a run from Home fills the form, whichever link opens Create", async () => {
  await page.goto("/");
  await page.getByRole("toolbar").getByRole("button", { name: "Picture" }).click();
  await page.getByRole("textbox").first().fill("a harbor at low tide");
  await page.getByRole("button", { name: /^Model: / }).waitFor();
  await page.getByRole("textbox").first().press("Enter");
  await page.getByRole("link", { name: "Open in Create" }).waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Create", exact: true }).click();
  await soon(() => prompt().inputValue()).toBe("a harbor at low tide");
  await page.getByRole("button", { name: "Restore draft" }).click();
  await soon(() => prompt().inputValue()).toBe("half a thought");
});

it("a prompt improved by a language model is shown as changes, priced first, and undone with one press", async () => {
  const row = { object: "model", created: 1_700_000_000, owned_by: "simulator" };
  const architecture = { input_modalities: ["text", "image"], output_modalities: ["text"] };
  chat = await startOpenAiCompatible({
    models: [
      { ...row, id: "sim-chat" },
      { ...row, id: "owner/sim-vision", architecture },
    ],
  });
  await connectKind(studio.api, "openai-compatible", { api: chat.url, key: chat.key });
  await page.goto("/create?task=image");
  await prompt().fill("a harbor");
  await page.getByRole("button", { name: "Improve prompt" }).click();
  const dialog = page.getByRole("dialog", { name: "Improve prompt" });
  await dialog.getByRole("button", { name: "Model: sim-chat. Choose another" }).waitFor();
  await dialog.getByRole("button", { name: /^Improve prompt, / }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: /^Improve prompt, / }).click();
  await dialog.getByRole("region", { name: "Proposed prompt" }).locator("ins").first().waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await soon(() => prompt().inputValue()).toBe("a harbor");
  // A paid answer is still there after the page was left.
  await page.reload();
  await page.getByRole("button", { name: "Review prompt" }).click();
  await dialog.getByRole("button", { name: "Edit prompt" }).click();
  await dialog.getByRole("textbox", { name: "Prompt" }).fill("a harbor in fog");
  await dialog.getByRole("button", { name: "Use prompt" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await prompt().inputValue()).toBe("a harbor in fog");
  await page.getByRole("button", { name: "Undo" }).click();
  await soon(() => prompt().inputValue()).toBe("a harbor");
});

it("a language model that reads pictures describes the selected one, as changes to the prompt", async () => {
  await page.goto("/create?task=image");
  expect(await page.getByRole("button", { name: "Describe picture" }).isDisabled()).toBe(true);
  const tile = page.locator("a[data-asset]").first();
  await tile.hover();
  await tile.locator("..").getByRole("button", { name: "Details" }).click();
  await page.getByText(/^Recipe of “/).waitFor();
  await prompt().fill("a quay at noon");
  await page.getByRole("button", { name: "Describe picture" }).click();
  const dialog = page.getByRole("dialog", { name: "Describe picture" });
  const pictures = dialog.getByRole("group", { name: "Picture" }).getByRole("button");
  await soon(() => pictures.evaluateAll((all) => all.map((one) => one.ariaPressed))).toEqual([
    "true",
  ]);
  // The only model that reads pictures is chosen already.
  await dialog.getByRole("button", { name: /sim-vision/ }).click();
  await page.getByRole("option", { name: /sim-vision/ }).waitFor();
  expect(await page.getByRole("option", { name: /sim-chat/ }).count()).toBe(0);
  await page.getByRole("option", { name: /sim-vision/ }).click();
  expect(await findBarriers(page)).toEqual([]);
  chat.script({ text: "“a quay at dusk”" });
  const sent = chat.posts.length;
  await dialog.getByRole("button", { name: /^Describe picture, / }).click();
  const proposed = dialog.getByRole("region", { name: "Proposed prompt" });
  await proposed.locator("ins").getByText("dusk").waitFor();
  await proposed.locator("del").getByText("noon").waitFor();
  await dialog.getByText(/^Cost: .* Underlined words are new/).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const asked = JSON.stringify(chat.posts.slice(sent).map(({ body }) => body));
  expect(asked).toContain("Describe this picture.");
  expect(asked).toMatch(/image_url|input_image/);
  // The prompt itself isn't sent: the picture alone is described.
  expect(asked).not.toContain("noon");
  await dialog.getByRole("button", { name: "Use prompt" }).click();
  await soon(() => prompt().inputValue()).toBe("a quay at dusk");
  // The newest message is first; that of an earlier change may still be there.
  await page.getByRole("button", { name: "Undo" }).first().click();
  await soon(() => prompt().inputValue()).toBe("a quay at noon");
});

it("a tool uses the selected result", async () => {
  await page.goto("/create?task=image");
  const tile = page.locator("a[data-asset]").first();
  await tile.hover();
  await tile.locator("..").getByRole("button", { name: "Details" }).click();
  await page.getByRole("complementary", { name: "Details" }).getByText("Recipe").waitFor();
  await page.getByRole("combobox", { name: "Task" }).click();
  await page.getByRole("option", { name: "Upscale" }).click();
  await page.getByRole("button", { name: /^Remove a harbor/ }).waitFor();
});

it("adding a model when there is no other says so and links to connecting one", async () => {
  const alone = await startStudio();
  const opened = await alone.openAs(browser);
  await opened.page.goto("/create?task=image");
  await opened.page.getByRole("button", { name: "Add model" }).click();
  const dialog = opened.page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "No other models" }).waitFor();
  expect(await dialog.getByRole("link").getAttribute("href")).toContain("/settings/connections");
  await opened.page.goto("/create?show=video");
  await opened.page.getByRole("heading", { name: "No connected model makes video" }).waitFor();
  expect(await findBarriers(opened.page)).toEqual([]);
  await opened.context.close();
  await alone.stop();
});

const prompts = async () =>
  (
    await studio.api.get<{ runs: Run[] }>(`/runs?projectId=${studio.api.projectId}&limit=100`)
  ).runs.map((run) => run.input.prompt);

it("a choice in braces makes a result for each option, counted and priced on the button first", async () => {
  await openFlux();
  await page.getByRole("button", { name: "Clear form" }).click();
  // A choice that the seed makes adds no result.
  await prompt().fill("a {?red|green} boat");
  await page.getByText("The seed picks from choices that begin with a question mark.").waitFor();
  await soon(() => make().textContent()).toBe("Make 1 picture, about $0.025");
  await prompt().fill("a {red|green} boat at {dawn|noon|dusk}");
  await page.getByText("Makes 6 prompts, one for each combination.").waitFor();
  await soon(() => make().textContent()).toBe("Make 6 pictures, about $0.15");
  expect(await findBarriers(page)).toEqual([]);
  await make().click();
  const row = page.getByRole("region", { name: "a {red|green} boat at {dawn|noon|dusk}" });
  await row.getByText("green, noon").waitFor();
  await soon(() => row.locator("a[data-asset]").count()).toBe(6);
  expect(new Set((await prompts()).filter((one) => String(one).includes("boat"))).size).toBe(6);
  const tile = row.locator("a[data-asset]").first();
  await tile.hover();
  await tile.locator("..").getByRole("button", { name: "Details" }).click();
  const recipe = page.getByRole("complementary", { name: "Details" });
  await recipe.getByText("a {red|green} boat at {dawn|noon|dusk}").waitFor();
  await recipe.getByText("Choices").waitFor();
});

it("with choices off, the prompt is sent as typed, including a JSON prompt", async () => {
  await openFlux();
  await prompt().fill('{"scene": "day|night"} ');
  await soon(() => make().textContent()).toMatch(/^Make 1 picture,/);
  await prompt().fill("a {left|right} brace");
  await soon(() => make().textContent()).toMatch(/^Make 2 pictures,/);
  await page.getByRole("switch", { name: "Expand choices" }).click();
  await page.getByText("The prompt is sent as typed.").waitFor();
  await soon(() => make().textContent()).toMatch(/^Make 1 picture,/);
  await page.reload();
  await soon(() => make().textContent()).toMatch(/^Make 1 picture,/);
  await make().click();
  await soon(async () => (await prompts())[0]).toBe("a {left|right} brace");
});

it("a batch over the limit is refused with both numbers before anything is sent", async () => {
  await openFlux();
  await page.getByRole("button", { name: "Clear form" }).click();
  const ten = "{0|1|2|3|4|5|6|7|8|9}";
  await prompt().fill(`${ten}${ten}${ten}{a|b|c|d|e}`);
  await page
    .getByText(
      "This makes 5,000 pictures. A batch has at most 1,000. Use fewer choices or fewer of each.",
    )
    .waitFor();
  expect(await make().isDisabled()).toBe(true);
  await prompt().fill("an {open brace|here");
  await page.getByText("A choice has no closing brace. It is sent as typed.").waitFor();
  await soon(() => make().isDisabled()).toBe(false);
  await soon(() => make().textContent()).toMatch(/^Make 1 picture,/);
});

it("a word list is created, suggested while its name is typed, and makes a result for each item", async () => {
  await openFlux();
  await page.getByRole("button", { name: "Word lists" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "No word lists yet" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "New list" }).click();
  await dialog.getByLabel("Name").fill("two words");
  await dialog.getByLabel("Items, one per row").fill("ochre\nteal\n\nochre\nplum");
  await dialog.getByRole("button", { name: "Save list" }).click();
  await dialog.getByText(/Use letters, digits, hyphens/).waitFor();
  await dialog.getByLabel("Name").fill("inks");
  await dialog.getByRole("button", { name: "Save list" }).click();
  await dialog.getByText("__inks__").waitFor();
  await dialog.getByText("3 items").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await prompt().fill("");
  await prompt().pressSequentially("a quay in __in");
  await page
    .getByRole("group", { name: "Word lists" })
    .getByRole("button", { name: "inks" })
    .click();
  expect(await prompt().inputValue()).toBe("a quay in __inks__");
  await soon(() => make().textContent()).toBe("Make 3 pictures, about $0.075");
  const { projectId } = studio.api;
  await studio.api.send("PUT", `/projects/${projectId}/word-lists/inks`, {
    items: ["ochre", "teal"],
  });
  await soon(() => make().textContent()).toBe("Make 2 pictures, about $0.05");
  await make().click();
  await page.getByRole("region", { name: "a quay in __inks__" }).getByText("teal").waitFor();
  await page.getByRole("button", { name: "Word lists" }).click();
  await dialog.getByRole("button", { name: /__inks__/ }).click();
  await dialog.getByRole("button", { name: "Delete list" }).click();
  await page.getByText("There is no word list “inks”. It is sent as typed.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await dialog.getByText("2 items").waitFor();
});

it("each of several models has its own settings under its name, and its results in its own row", async () => {
  await openFlux();
  await page.getByRole("button", { name: "Clear form" }).click();
  await page.getByRole("button", { name: "Add model" }).click();
  await page.getByRole("listitem").filter({ hasText: "Pattern" }).getByRole("button").click();
  await prompt().fill("two makers of one quay");
  const flux = page.getByRole("group", { name: "Settings of Simulated Flux" });
  await flux.locator("summary").click();
  await flux.getByRole("slider", { name: "Num inference steps" }).fill("40");
  const pattern = page.getByRole("group", { name: "Settings of Pattern (procedural)" });
  await pattern.locator("summary").click();
  await pattern.getByRole("radio", { name: "Dense" }).click();
  await pattern.getByText("Fullness Dense").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.reload();
  await flux.getByText("Num inference steps 40").waitFor();
  await pattern.getByText("Fullness Dense").waitFor();
  await make().click();
  const row = page.getByRole("region", { name: "two makers of one quay" });
  for (const name of ["Simulated Flux", "Pattern (procedural)"])
    await row.getByRole("heading", { name }).waitFor();
  const { runs } = await studio.api.get<{ runs: Run[] }>(
    `/runs?projectId=${studio.api.projectId}&limit=2`,
  );
  const inputs = runs.map(({ input }) => [input.num_inference_steps, input.density]);
  expect(inputs).toEqual([
    [undefined, "dense"],
    [40, undefined],
  ]);
  // No raw ID is shown while the names load.
  const { promise: isDue, resolve: answer } = Promise.withResolvers<void>();
  const details = /\/api\/v1\/models\/[0-9a-f-]+\?/;
  await page.route(details, async (route) => {
    await isDue;
    await route.continue();
  });
  await page.reload();
  await row.getByRole("heading", { level: 3 }).first().waitFor();
  expect(await row.textContent()).not.toContain("sim/flux");
  answer();
  await row.getByRole("heading", { name: "Simulated Flux" }).waitFor();
  await page.unroute(details);
});

it("a model's refusal leaves the other models' results", async () => {
  await prompt().fill("a quay that is refused [sim:content-policy]");
  await make().click();
  const row = page.getByRole("region", { name: "a quay that is refused [sim:content-policy]" });
  await soon(() => row.locator("a[data-asset]").count()).toBe(1);
  await row.locator('[data-state="failed"]').waitFor();
});

it("a crop keeps its ratio by chip, by drag and by keys, until a typed number releases it", async () => {
  const bytes = await sharp({
    create: { width: 400, height: 300, channels: 3, background: "teal" },
  })
    .png()
    .toBuffer();
  const { id } = await studio.api.upload("teal.png", bytes);
  await page.goto(`/create?asset=${id}`);
  await page.getByRole("button", { name: "Crop", exact: true }).click();
  const ratios = page.getByRole("group", { name: "Aspect ratio" });
  await ratios.getByRole("button", { name: "16:9" }).click();
  await page.getByText("400 × 225").waitFor();
  const box = page.getByRole("button", { name: /^Rectangle/ });
  for (let press = 0; press < 5; press++) await box.press("Shift+ArrowLeft");
  await page.getByText("380 × 214").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page
    .getByRole("slider", { name: "Width" })
    .or(page.getByLabel("Width"))
    .first()
    .fill("100");
  await soon(() => ratios.getByRole("button", { name: "Free" }).getAttribute("aria-pressed")).toBe(
    "true",
  );
  await ratios.getByRole("button", { name: "1:1" }).click();
  await make().click();
  await soon(async () => {
    const { assets } = await studio.api.get<{ assets: Asset[] }>(
      `/assets?projectId=${studio.api.projectId}&limit=1`,
    );
    return [assets[0]?.width, assets[0]?.height];
  }).toEqual([100, 100]);
});

import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Run } from "#contract/entities.ts";
import { textToImage } from "../../simulators/comfyui/workflows.ts";
import { type ComfySimulator, startComfy } from "../../simulators/comfyui.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button, field } from "../../support/browser/locators.ts";
import { findBarriers, watchPage } from "../../support/browser/strict-page.ts";
import { type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** A workflow, step by step: connected, added, run, and run again. */
let browser: Browser;
let studio: Studio;
let comfy: ComfySimulator;
let page: Page;
/** The page's violations and errors. */
let breaches: string[];

beforeAll(async () => {
  [browser, studio, comfy] = await Promise.all([
    launchBrowser(),
    startStudio(),
    startComfy({ stepMs: 150 }),
  ]);
  ({ page } = await studio.openAs(browser));
  breaches = watchPage(page);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), comfy?.stop()]);
});

const dialog = () => page.getByRole("dialog");
const details = () => page.getByRole("complementary", { name: "ComfyUI" });
const workflows = (): Locator => details().getByRole("list", { name: "Workflows" });
const listAssets = async () =>
  (await studio.api.get<{ assets: Asset[] }>(`/assets?projectId=${studio.api.projectId}`)).assets;
const listRuns = async () =>
  (await studio.api.get<{ runs: Run[] }>(`/runs?projectId=${studio.api.projectId}`)).runs;
/** Picks a file in the form and waits until it is read. */
async function choose(name: string, graph: unknown): Promise<void> {
  const text = JSON.stringify(graph);
  await field(dialog(), "File").setInputFiles({
    name,
    mimeType: "application/json",
    buffer: Buffer.from(text),
  });
  await soon(() => field(dialog(), "Or paste the workflow").inputValue()).toBe(text);
}

it("ComfyUI is connected by its address, and says that it has no workflow yet", async () => {
  await page.goto("/admin/connections");
  await button(page, "Add connection").first().click();
  await button(dialog(), /^ComfyUI/).click();
  await field(dialog(), "Address").fill(comfy.url);
  await button(dialog(), "Check and connect").click();
  await page.getByText("Connected ComfyUI").waitFor();
  await details().getByText("No workflows yet.").waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("a file that isn't a workflow in API format is reported in the form, and the form survives a reload", async () => {
  await button(details(), "Add workflow").click();
  await button(dialog(), "Check and add").click();
  await dialog().getByText("This field is required.").waitFor();
  await choose("Lighthouses.json", { nodes: [], links: [], version: 0.4 });
  expect(await field(dialog(), "Name").inputValue()).toBe("Lighthouses");
  await button(dialog(), "Check and add").click();
  await dialog()
    .getByText(/format of ComfyUI's editor.*Export \(API\)/)
    .waitFor();
  await soon(() =>
    field(dialog(), "Or paste the workflow").evaluate(
      (element) => element === document.activeElement,
    ),
  ).toBe(true);
  expect(await findBarriers(page)).toEqual([]);
  await page.reload();
  await button(details(), "Add workflow").click();
  expect(await field(dialog(), "Name").inputValue()).toBe("Lighthouses");

  const foreign = textToImage();
  foreign["8"]!.class_type = "VAEDecodeFancy";
  await choose("x.json", foreign);
  await button(dialog(), "Check and add").click();
  await dialog()
    .getByText(/lacks the node “?VAEDecodeFancy”?/)
    .waitFor();
});

it("a workflow is added from its file, once under its name", async () => {
  const slow = textToImage();
  // Half of its steps show a preview before it is held.
  slow["3"]!.inputs.steps = 8;
  await choose("x.json", slow);
  await button(dialog(), "Check and add").click();
  await page.getByText("Added Lighthouses").waitFor();
  await workflows().getByText("Lighthouses").waitFor();
  await details().getByText("1 model", { exact: true }).waitFor();

  await button(details(), "Add workflow").click();
  await choose("lighthouses.json", textToImage());
  await button(dialog(), "Check and add").click();
  await dialog().getByText("A workflow named “Lighthouses” already exists").waitFor();
  await button(dialog(), "Cancel").click();
});

it("a workflow's inputs are Create's form; its steps and previews show during the run, and its picture is in the library", async () => {
  const { connections } = await studio.api.get<{ connections: { id: string; kind: string }[] }>(
    "/connections",
  );
  const { id } = connections.find(({ kind }) => kind === "comfyui")!;
  await page.goto(`/create?task=image&model=${id}/lighthouses`);
  const prompt = page.getByRole("textbox", { name: "Prompt", exact: true });
  await prompt.waitFor();
  await page.locator("summary", { hasText: "Settings" }).click();
  expect(
    await page.getByRole("textbox", { name: "Negative prompt" }).getAttribute("placeholder"),
  ).toBe("text, watermark");
  await prompt.fill("a harbour in fog [sim:hold]");
  await page.getByRole("button", { name: "Make 1 picture, free" }).click();
  const tile = page
    .getByRole("region", { name: "a harbour in fog [sim:hold]", exact: true })
    .first();
  await tile.waitFor();
  await soon(() => comfy.sockets()).toBe(1);
  await tile.locator("img[src^='blob:']").waitFor();
  comfy.release("a harbour in fog");
  await tile.locator("a[data-asset]").waitFor();
  expect(comfy.ledger.postsOf("a harbour")).toBe(1);
  expect((await listAssets()).map(({ title }) => title)).toEqual(["a harbour in fog [sim:hold]"]);
});

it("a picture made again with its recipe's seed is the same", async () => {
  await page.locator("a[data-asset]").first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Make again" }).click();
  await soon(async () => (await listAssets()).length).toBe(2);
  expect(new Set((await listAssets()).map(({ sha256 }) => sha256)).size).toBe(1);
  expect(new Set((await listRuns()).map(({ input }) => input.seed)).size).toBe(1);
});

it("a workflow is replaced in place and removed, and its pictures stay", async () => {
  await page.goto("/admin/connections");
  await page
    .getByRole("button", { name: /ComfyUI/ })
    .first()
    .click();
  await button(workflows(), "Replace Lighthouses").click();
  expect(await field(dialog(), "Name").inputValue()).toBe("Lighthouses");
  await field(dialog(), "Or paste the workflow").fill(
    JSON.stringify(textToImage("another default")),
  );
  await field(dialog(), "Name").fill("Harbours");
  await button(dialog(), "Check and replace").click();
  await workflows().getByText("Harbours").waitFor();

  comfy.install("VAEDecode", false);
  await button(details(), "Check").click();
  await workflows().getByText("The server lacks some of its nodes").waitFor();
  await button(workflows(), "Remove Harbours").click();
  await button(dialog(), "Remove workflow").click();
  await details().getByText("No workflows yet.").waitFor();
  expect(await listAssets()).toHaveLength(2);
  expect(breaches).toEqual([]);
});

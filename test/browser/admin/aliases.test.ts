import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button, field } from "../../support/browser/locators.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import {
  builtinConnection,
  connectKind,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";

/** An admin names and orders models as an alias, and a run shows which of them it used. */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let falId: string;

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  falId = await connectKind(studio.api, "fal", fal.values);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), fal?.stop()]);
});

async function open(path: string): Promise<Page> {
  const { page } = await studio.openAs(browser);
  keepStrict(page);
  await page.goto(path);
  return page;
}
type Listed = {
  aliases: { name: string; models: { connectionId: string; modelId: string; name: string }[] }[];
};
const behind = async (name: string): Promise<string[]> =>
  (await studio.api.get<Listed>("/admin/aliases")).aliases
    .find((alias) => alias.name === name)
    ?.models.map((model) => model.name) ?? [];

it("models get an alias, are sorted by keyboard and by pointer, and are found under it", async () => {
  const builtin = await builtinConnection(studio.api);
  await studio.api.send("PUT", `/models/${builtin}/star`, { modelId: "pattern" });
  const page = await open("/admin/aliases");
  await page.getByText("No aliases yet").waitFor();
  await button(page, "Add alias").click();
  const dialog = page.getByRole("dialog", { name: "New alias" });
  await field(dialog, "Name").fill("House Image");
  await button(dialog, "Save").click();
  await dialog.getByText("Add at least one model.").waitFor();
  // By keyboard alone: the starred model is the first one, and a found one is added with Enter.
  await button(dialog, "Add model").press("Enter");
  const usual = page.getByRole("group", { name: "Starred and recent" });
  await usual.getByRole("option", { name: /^Pattern/ }).waitFor();
  await page.keyboard.press("Enter");
  const inOrder = dialog.getByRole("list", { name: "Models, in order" }).getByRole("listitem");
  await expect.poll(() => inOrder.first().textContent()).toContain("Pattern");
  await page.getByRole("listbox").waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await page.getByRole("listbox").waitFor();
  await page.keyboard.type("simulated flux");
  await page.keyboard.press("Enter");
  await expect.poll(() => inOrder.nth(1).textContent()).toContain("Simulated Flux");
  await button(dialog, "Save").click();
  await expect.poll(() => field(dialog, "Name").getAttribute("aria-invalid")).toBe("true");
  expect(await findBarriers(page)).toEqual([]);
  await field(dialog, "Name").fill("house-image");
  await button(dialog, "Move Simulated Flux up").press("Enter");
  await dialog.getByText("Simulated Flux is now number 1 of 2.").waitFor();
  await button(dialog, "Save").click();
  await page.getByText("Saved house-image").waitFor();
  expect((await behind("house-image"))[0]).toBe("Simulated Flux");

  await button(page, "Edit house-image").click();
  const changed = page.getByRole("dialog", { name: "Edit house-image" });
  const places = changed.getByRole("list", { name: "Models, in order" }).getByRole("listitem");
  await places.nth(1).dragTo(places.nth(0));
  await expect.poll(() => places.first().textContent()).toContain("Pattern");
  await button(changed, "Save").click();
  await expect.poll(async () => (await behind("house-image"))[0]).toContain("Pattern");
  await page.goto("/models?q=house");
  await page
    .getByRole("list", { name: "Models" })
    .getByRole("listitem")
    .filter({ hasText: "house-image" })
    .waitFor();
  await page.goto("/models");
  await page
    .getByRole("link", { name: /^Aliases/ })
    .filter({ hasText: "1" })
    .click();
  await expect
    .poll(() => page.getByRole("heading", { level: 3 }).allTextContents())
    .toEqual(["house-image"]);
});

it("a run shows the requested alias, the model it used, and why the first one was skipped", async () => {
  const { aliases } = await studio.api.get<Listed>("/admin/aliases");
  const models = aliases[0]!.models
    .map(({ connectionId, modelId }) => ({ connectionId, modelId }))
    .reverse();
  await studio.api.send("PUT", "/admin/aliases/house-image", { task: "image", models });
  await studio.api.send("PATCH", `/connections/${falId}`, { disabled: true });
  const asked = { connectionId: "00000000-0000-7000-8000-0000000a11a5", modelId: "house-image" };
  const { runs } = await studio.api.send<{ runs: { id: string }[] }>("POST", "/runs", {
    projectId: studio.api.projectId,
    models: [asked],
    task: "image",
    input: { prompt: "a quay" },
  });
  const page = await open(`/activity/${runs[0]!.id}`);
  await page.getByText(/Requested as house-image, sent to Pattern/).waitFor();
  await page.getByText(/Skipped Simulated Flux: Its connection is disabled\./).waitFor();
  await page.goto("/admin/aliases");
  await page.getByText(/Simulated Flux: Its connection is disabled\./).waitFor();
  await button(page, "Remove house-image").click();
  await button(page.getByRole("dialog"), "Remove alias").click();
  await page.getByText("No aliases yet").waitFor();
});

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { Asset } from "#contract/entities.ts";
import { button } from "../../support/browser/locators.ts";
import { setUpStudio } from "../../support/browser/set-up-studio.ts";
import { builtinConnection } from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";

/** Where the focus is after the row that had it was deleted, by keyboard alone. */
const { studio, open } = setUpStudio();

/** Chooses an action from the menu of the row called `name`. */
async function act(page: Page, name: string, action: string): Promise<void> {
  await button(page, `Actions for ${name}`).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: action }).focus();
  await page.keyboard.press("Enter");
}
const focused = (page: Page, name: string) =>
  button(page, `Actions for ${name}`).and(page.locator(":focus")).waitFor();

it("a menu deletes a card, and the focus is on the menu of the next one, or of the last", async () => {
  const { api } = studio();
  const connectionId = await builtinConnection(api);
  for (const seed of [1, 2])
    await api.send("POST", "/runs", {
      projectId: api.projectId,
      models: [{ connectionId, modelId: "pattern" }],
      task: "image",
      input: { prompt: "a quiet sea", seed, image_size: { width: 64, height: 64 } },
    });
  const list = async () =>
    (await api.get<{ assets: Asset[] }>(`/assets?projectId=${api.projectId}`)).assets;
  await until("the pictures", async () => (await list()).length === 2);
  const entries = (await list()).map(({ id }) => ({ assetId: id }));
  for (const title of ["First", "Second", "Third"]) {
    const body = { projectId: api.projectId, entries };
    const { comparison } = await api.send<{ comparison: { id: string } }>(
      "POST",
      "/comparisons",
      body,
    );
    await api.send("PATCH", `/comparisons/${comparison.id}`, { title });
  }
  const page = await open("/compare");
  await act(page, "Second", "Move to trash");
  await page.getByRole("link", { name: /^Second/ }).waitFor({ state: "detached" });
  await focused(page, "First");
  await act(page, "First", "Move to trash");
  await page.getByRole("link", { name: /^First/ }).waitFor({ state: "detached" });
  await focused(page, "Third");
});

it("a dialog deletes a row, and the focus is on the next row's menu", async () => {
  const { api } = studio();
  for (const name of ["Alpha", "Beta", "Gamma"])
    await api.send("POST", "/me/keys", {
      projectId: api.projectId,
      name,
      scopes: ["models:read"],
    });
  const page = await open("/settings/keys");
  await act(page, "Beta", "Revoke");
  const dialog = page.getByRole("dialog");
  await button(dialog, "Revoke key").focus();
  await page.keyboard.press("Enter");
  await page.getByText("Beta", { exact: true }).waitFor({ state: "detached" });
  await dialog.waitFor({ state: "detached" });
  await focused(page, "Alpha");
  expect(await page.getByText("Gamma", { exact: true }).count()).toBe(1);
});

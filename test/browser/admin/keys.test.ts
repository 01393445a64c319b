import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { ModelRef } from "#contract/entities.ts";
import { button, field } from "../../support/browser/locators.ts";
import { setUpStudio } from "../../support/browser/set-up-studio.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { builtinConnection } from "../../support/browser/studio-in-browser.ts";

const { studio, open } = setUpStudio();

const row = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) });
const statusWith = async (token: string): Promise<number> =>
  (await fetch(`${studio().url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } }))
    .status;
/** Reads the secret that is shown once, and closes the dialog. */
async function readToken(page: Page): Promise<string> {
  const token = await field(page, "API key").inputValue();
  await button(page, "Done").click();
  await field(page, "API key").waitFor({ state: "detached" });
  return token;
}
async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

it("a person creates a key that is shown once, edits it, rotates its secret and revokes it", async () => {
  const { api } = studio();
  await api.send("PUT", `/models/${await builtinConnection(api)}/star`, { modelId: "guide" });
  const page = await open("/settings/keys");
  await button(page, "New key").click();
  const dialog = page.getByRole("dialog");
  // The name field has the focus.
  await field(page, "Name").and(page.locator(":focus")).waitFor();
  await button(dialog, "Create key").click();
  await dialog.getByText("Give the key a name.").waitFor();
  await field(page, "Name").fill("Poster script");
  await field(page, "Budget in dollars").fill("5");
  // By keyboard alone: a starred model of any task is the first one.
  await button(dialog, "Add model").press("Enter");
  const usual = page.getByRole("group", { name: "Starred and recent" });
  await usual.getByRole("option", { name: /^Guide/ }).waitFor();
  await page.keyboard.press("Enter");
  await button(dialog, "Remove Guide").waitFor();
  const finishes = page.getByRole("checkbox", { name: /^Finish answers/ });
  await finishes.check();
  expect(await findBarriers(page)).toEqual([]);
  await button(dialog, "Create key").click();
  const token = await readToken(page);
  expect(token).toMatch(/^bottega_/);
  expect(await statusWith(token)).toBe(200);
  await row(page, "Poster script")
    .getByText(/\$0\.00 of \$5\.00 per month/)
    .waitFor();
  await row(page, "Poster script").getByText("Models: Guide").waitFor();
  expect(await page.getByText(token).count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);

  await choose(page, "Poster script", "Edit");
  await finishes.and(page.locator("[aria-checked=true], :checked")).waitFor();
  await field(page, "Name").fill("Posters");
  await page.getByRole("checkbox", { name: /^View models/ }).uncheck();
  await field(page, "Budget in dollars").fill("");
  await button(page, "Remove Guide").click();
  await button(page.getByRole("dialog"), "Save").click();
  await row(page, "Posters").getByText("Scopes: Chat, Run models, Edit library").waitFor();
  expect(
    await row(page, "Posters")
      .getByText(/\$5\.00|Models/)
      .count(),
  ).toBe(0);

  await choose(page, "Posters", "New secret");
  await button(page.getByRole("dialog"), "Create secret").click();
  const second = await readToken(page);
  expect([await statusWith(token), await statusWith(second)]).toEqual([401, 200]);

  await choose(page, "Posters", "Revoke");
  await button(page.getByRole("dialog"), "Revoke key").click();
  await page.getByText("No API keys yet").waitFor();
  expect(await statusWith(second)).toBe(401);
});

it("an admin sees everyone's keys by name and owner, and revokes one", async () => {
  const [model] = (
    await studio().api.get<{ models: ModelRef[] }>(
      `/models?projectId=${studio().api.projectId}&limit=1`,
    )
  ).models;
  const { connectionId, modelId } = model!;
  const models = [{ connectionId, modelId }];
  const body = { name: "Nightly", projectId: studio().api.projectId, scopes: ["chat"], models };
  const { token } = await studio().api.send<{ token: string }>("POST", "/me/keys", body);
  const page = await open("/admin/keys");
  await row(page, "Nightly")
    .getByText(/Ada Lovelace, for Tide almanac .* 1 model only/)
    .waitFor();
  const search = page.getByRole("searchbox", { name: "Search API keys" });
  await search.fill("no such key");
  await page.getByText("No API key matches your search.").waitFor();
  await search.fill("LOVELACE");
  await row(page, "Nightly").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await search.fill("");
  await row(page, "Nightly")
    .getByRole("button", { name: /Revoke/ })
    .click();
  await button(page.getByRole("dialog"), "Revoke key").click();
  await page.getByText("No API keys yet").waitFor();
  expect(await statusWith(token)).toBe(401);
});

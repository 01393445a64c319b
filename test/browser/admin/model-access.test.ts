import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Model } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button } from "../../support/browser/locators.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import {
  connectKind,
  joinStudio,
  type Studio,
  signInWith,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";

/** An admin sets who may use which models; a member finds only those. */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let member: { id: string; cookie: string };

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  await connectKind(studio.api, "fal", fal.values);
  member = await joinStudio(studio, {
    name: "Eve Draper",
    email: "eve@example.org",
    password: "a staple and a battery",
  });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), fal?.stop()]);
});

async function open(path: string, cookie?: string): Promise<Page> {
  const { context, page } = await studio.openAs(browser);
  if (cookie) await signInWith(context, studio.url, cookie);
  keepStrict(page);
  await page.goto(path);
  return page;
}
async function namesFor(cookie: string): Promise<string[]> {
  const get = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${studio.url}/api/v1${path}`, { headers: { cookie } })).json()) as T;
  const { projects } = await get<{ projects: { id: string }[] }>("/projects");
  const { models } = await get<{ models: Model[] }>(
    `/models?projectId=${projects[0]!.id}&limit=200`,
  );
  return models.map(({ name }) => name);
}
const names = () => namesFor(member.cookie);
const search = (page: Page) => page.getByRole("searchbox", { name: "Search models" });
const dialogOf = (page: Page, what: string) =>
  page.getByRole("dialog", { name: `Who can use ${what}?` });

it("one model is closed, then opened to one person, and each row says who can use it", async () => {
  const page = await open("/admin/models");
  expect(await names()).toContain("Simulated Flux");
  await search(page).fill("flux");
  await button(page, "Access to Simulated Flux: Inherited").first().click();
  const dialog = dialogOf(page, "Simulated Flux");
  await dialog.getByRole("radio", { name: "Admins" }).check();
  await button(dialog, "Save").click();
  await button(page, "Access to Simulated Flux: Admins only").first().waitFor();
  expect(await names()).not.toContain("Simulated Flux");

  await button(page, "Access to Simulated Flux: Admins only").first().click();
  await dialog.getByRole("radio", { name: "Selected" }).check();
  await dialog.getByRole("searchbox", { name: "Find a person or project" }).fill("eve@");
  await dialog.getByRole("checkbox", { name: "Eve Draper eve@example.org" }).check();
  expect(await findBarriers(page)).toEqual([]);
  await button(dialog, "Save").click();
  await button(page, "Access to Simulated Flux: 1 person").first().waitFor();
  expect(await names()).toContain("Simulated Flux");
});

it("several models are selected, or all search results, and set at once", async () => {
  const page = await open("/admin/models");
  await search(page).fill("simulated kling");
  await page.getByRole("checkbox", { name: "Select visible models" }).check();
  await page.getByText(/^\d+ selected$/).waitFor();
  await button(page, "Set access").click();
  await page.getByRole("dialog").getByRole("radio", { name: "Admins" }).check();
  await button(page.getByRole("dialog"), "Save").click();
  await expect
    .poll(async () => (await names()).some((name) => name.startsWith("Simulated Kling")))
    .toBe(false);
  await search(page).fill("no such model");
  await page.getByText("No models match your search.").waitFor();
  await search(page).fill("simulated");
  await button(page, "Set for all results").click();
  const dialog = dialogOf(page, "all search results");
  await dialog.getByRole("radio", { name: "Everyone" }).check();
  await button(dialog, "Save").click();
  await expect
    .poll(async () => (await names()).some((name) => name.startsWith("Simulated Kling")))
    .toBe(true);
});

it("the default for everyone is set at once, and a member reads why they can't add a connection", async () => {
  const page = await open("/admin/models");
  await page.getByRole("switch", { name: "Members can add their own connections" }).click();
  await page
    .getByRole("radiogroup", { name: "Shared models available to" })
    .getByRole("radio", { name: "Admins" })
    .click();
  await expect
    .poll(async () => (await names()).filter((name) => !name.startsWith("Simulated")))
    .toEqual([]);
  const theirs = await open("/settings/connections", member.cookie);
  await theirs.getByText("Your admins don’t allow new personal connections.").waitFor();
  expect(await button(theirs, "Add connection").count()).toBe(0);
  await page.reload();
  expect(
    await page.getByRole("switch", { name: "Members can add their own connections" }).isChecked(),
  ).toBe(false);
});

it("a refused change is reported, and the page shows the saved state", async () => {
  const page = await open("/admin/models");
  await page.route("**/api/v1/admin/model-access", (route) =>
    route.request().method() === "PATCH" ? route.abort() : route.continue(),
  );
  const connect = page.getByRole("switch", { name: "Members can add their own connections" });
  await connect.click();
  await page.getByText("The server could not be reached.").first().waitFor();
  expect(await connect.isChecked()).toBe(false);
});

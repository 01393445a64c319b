import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button, field } from "../../support/browser/locators.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import {
  builtinConnection,
  joinStudio,
  type Studio,
  signInWith,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { seedBooks, seedFiles } from "../../support/databases/seed-books.ts";
import { createTempFolder } from "../../support/temp.ts";

/**
 * Usage as a person sees it: five hundred models over two months, nearly spent and spent budgets,
 * and no usage at all.
 */
let browser: Browser;
let studio: Studio;
let member: { id: string; cookie: string };
const dataFolder = createTempFolder("usage");
const modelCount = 500;
/** The middle of the current month and of the previous one, in UTC. */
const now = new Date();
const ofThisMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1, 12);
const ofLastMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15, 12);

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), startStudio({ dataFolder })]);
  member = await joinStudio(studio, {
    name: "Grace Hopper",
    email: "grace@example.org",
    password: "a staple and a battery",
  });
  const { user } = await studio.api.get<{ user: { id: string } }>("/me");
  const connectionId = await builtinConnection(studio.api);
  const of = { projectId: studio.api.projectId, userId: user.id, connectionId, tokens: 1_500 };
  await seedBooks(dataFolder, [
    ...Array.from({ length: modelCount }, (_, i) => ({
      ...of,
      modelId: `lab/model-${String(i).padStart(3, "0")}`,
      at: ofThisMonth,
      micros: 1_000 * (i + 1),
    })),
    { ...of, modelId: "of-last-month", at: ofLastMonth, micros: 2_000_000 },
  ]);
  const setting = { period: "month", timeZone: "UTC", onLimit: "block" };
  const set = (scope: string, scopeIds: (string | null)[], limitMicros: number) =>
    studio.api.send("PUT", "/admin/budgets", { scope, scopeIds, limitMicros, ...setting });
  await set("user", [user.id], 150_000_000);
  await set("project", [studio.api.projectId], 125_250_000);
  await set("instance", [null], 1_000_000_000);
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

async function open(path: string, as?: { cookie: string }): Promise<Page> {
  const { page, context } = await studio.openAs(browser);
  if (as) await signInWith(context, studio.url, as.cookie);
  keepStrict(page);
  await page.goto(path);
  return page;
}
const models = (page: Page) => page.getByRole("region", { name: "By model" });
const total = (page: Page, name: string) =>
  page.getByRole("main").locator("dl > div").filter({ hasText: name });

it("this month's cost is shown as a sum, by day and by model, and the address keeps the choice", async () => {
  const page = await open("/usage");
  await total(page, "Spent").getByText("$125.25").waitFor();
  await total(page, "Runs").getByText("500", { exact: true }).waitFor();
  await total(page, "Tokens").getByText("750,000").waitFor();
  await page.getByRole("img", { name: /^Spend from / }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("radio", { name: "Last month" }).check();
  await total(page, "Spent").getByText("$2.00").waitFor();
  await models(page).getByText("of-last-month").waitFor();
  await page.reload();
  await total(page, "Spent").getByText("$2.00").waitFor();
});

it("the bars show the same numbers as the table that replaces them", async () => {
  const page = await open("/usage");
  await page.getByRole("radio", { name: "Table" }).check();
  const day = page
    .getByRole("region", { name: "By day" })
    .getByRole("row")
    .filter({ hasText: "$125.25" });
  expect(await day.getByRole("cell").allTextContents()).toEqual(["$125.25", "500", "750,000"]);
  expect(await findBarriers(page)).toEqual([]);
});

it("five hundred models are ten rows until all are requested, and each column sorts them", async () => {
  const page = await open("/usage");
  const rows = models(page).locator("tbody tr");
  await rows.first().waitFor();
  expect(await rows.count()).toBe(10);
  await rows.first().getByText("lab/model-499").waitFor();
  await button(models(page), "Model").click();
  await rows.first().getByText("lab/model-000").waitFor();
  expect(
    await models(page).getByRole("columnheader", { name: "Model" }).getAttribute("aria-sort"),
  ).toBe("ascending");
  await button(page, "Show all 500").click();
  expect(await rows.count()).toBe(modelCount);
  await button(page, "Show the first 10").click();
  expect(await rows.count()).toBe(10);
});

it("a reversed custom range is reported at its field, and the usage returns when it is fixed", async () => {
  const page = await open("/usage");
  await page.getByRole("radio", { name: "Custom" }).check();
  await field(page, "To").fill("2020-01-01");
  await page.getByText("The last day is before the first.").waitFor();
  expect(await field(page, "To").getAttribute("aria-invalid")).toBe("true");
  expect(await findBarriers(page)).toEqual([]);
  await field(page, "From").fill("2019-12-01");
  await page.getByText("No usage in this period").waitFor();
});

it("the downloaded CSV contains the entries on screen", async () => {
  const page = await open("/usage?range=last");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(
    /^bottega-usage-\d{4}-\d{2}-01-to-\d{4}-\d{2}-\d{2}\.csv$/,
  );
  const lines = (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(",spend,2000000,2.000000,Tide almanac,Ada Lovelace,");
});

it("budgets say in words how much is used, with used-up ones first", async () => {
  const page = await open("/usage");
  const bars = page.getByRole("listitem").filter({ hasText: "spent" });
  await bars.first().waitFor();
  expect(await bars.count()).toBe(2);
  expect(await bars.first().textContent()).toMatch(
    /^Tide almanac, \w+Used up100%\$125\.25 of \$125\.25 spent · \$0\.00 left/,
  );
  expect(await bars.last().textContent()).toMatch(
    /^You, \w+Over 80%84%\$125\.25 of \$150\.00 spent · \$24\.75 left/,
  );
});

it("an admin sees all of Bottega, and a member sees neither that nor other people's spending", async () => {
  const page = await open("/usage?scope=instance");
  await total(page, "Spent").getByText("$125.25").waitFor();
  await page
    .getByRole("listitem")
    .filter({ hasText: "This Bottega" })
    .getByText("$125.25 of $1,000.00 spent")
    .waitFor();
  const theirs = await open("/usage?scope=instance", member);
  await theirs.getByText("No usage in this period").waitFor();
  expect(await findBarriers(theirs)).toEqual([]);
  await theirs.goto(`/usage?scope=${studio.api.projectId}`);
  await theirs
    .getByRole("alert")
    .getByText("This does not exist, or you have no access to it.")
    .waitFor();
  expect(await findBarriers(theirs)).toEqual([]);
});

it("a kept file costs all spending on its model and prompt, and an unknown price is no zero", async () => {
  const { user } = await studio.api.get<{ user: { id: string } }>("/me");
  const connectionId = await builtinConnection(studio.api);
  const of = { projectId: studio.api.projectId, userId: user.id, connectionId, at: ofLastMonth };
  await seedFiles(dataFolder, [
    { ...of, modelId: "brush", prompt: "a heron", micros: 80_000, files: 4, kept: 2 },
    { ...of, modelId: "brush", prompt: "a stork", micros: 20_000, files: 1, kept: 0 },
    { ...of, modelId: "chisel", prompt: "a stork", micros: 90_000, files: 1, kept: 1 },
    { ...of, modelId: "chisel", prompt: "a stork", micros: null, files: 1, kept: 0 },
    { ...of, modelId: "quill", prompt: "a crane", micros: null, files: 1, kept: 1 },
  ]);
  const page = await open("/usage?range=last");
  const rowsOf = async (name: string) => {
    const rows = page.getByRole("region", { name }).locator("tbody tr");
    await rows.first().waitFor();
    return rows.evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent)),
    );
  };
  expect(await rowsOf("Cost per keeper by model")).toEqual([
    ["brushBuilt in", "$0.05", "$0.10", "2", "2"],
    ["chiselBuilt in", "at least $0.09", "at least $0.09", "1", "2"],
    ["quillBuilt in", "price unknown", "price unknown", "1", "1"],
  ]);
  expect(await rowsOf("Cost per keeper by prompt")).toEqual([
    ["a stork", "at least $0.11", "at least $0.11", "1", "3"],
    ["a heron", "$0.04", "$0.08", "2", "1"],
    ["a crane", "price unknown", "price unknown", "1", "1"],
  ]);
  // Four kept files of five runs.
  const all = page.locator("section").filter({ hasText: "Cost per keeper" });
  await all.first().getByText("at least $0.048").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("radio", { name: "This month" }).check();
  await total(page, "Spent").getByText("$125.25").waitFor();
  expect(await page.getByText("Cost per keeper").count()).toBe(0);
});

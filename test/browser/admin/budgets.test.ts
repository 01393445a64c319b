import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Budget } from "#contract/entities.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button, field } from "../../support/browser/locators.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import { joinStudio, type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** An admin and a manager set budgets, for many at once and one by one. */
let browser: Browser;
let studio: Studio;
const others = ["Ann", "Ben", "Cleo", "Dov", "Eli"];
const joinedFrom = { "x-forwarded-for": "10.3.0.1" };

beforeAll(async () => {
  [browser, studio] = await Promise.all([
    launchBrowser(),
    startStudio({ env: { BOTTEGA_TRUSTED_PROXIES: "127.0.0.1" } }),
  ]);
  for (const name of others) {
    const person = {
      name: `${name} Printer`,
      email: `${name.toLowerCase()}@example.org`,
      password: "a staple and a battery",
      ...(name < "D" && { role: "editor" as const }),
    };
    await joinStudio(studio, person, joinedFrom);
  }
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

async function open(path: string): Promise<Page> {
  const { page } = await studio.openAs(browser);
  keepStrict(page);
  await page.goto(path);
  return page;
}
/** The people with budgets, and those budgets. */
async function payers(): Promise<{ name: string; budgets: Budget[] }[]> {
  const path = "/admin/budgets/payers?scope=user";
  const listed = await studio.api.get<{ payers: { name: string; budgets: Budget[] }[] }>(path);
  return listed.payers.filter(({ budgets }) => budgets.length > 0);
}
const budgetsOfPeople = async () => (await payers()).flatMap(({ budgets }) => budgets);
const box = (page: Page, name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
const row = (page: Page, name: string) =>
  page
    .getByRole("list", { name: "People", exact: true })
    .getByRole("listitem")
    .filter({ hasText: name });

it("one budget is set for many people at once, after the page has said for whom and how much", async () => {
  const page = await open("/admin/budgets");
  await box(page, "Ann Printer").click();
  await box(page, "Dov Printer").click({ modifiers: ["Shift"] });
  await page.getByText("4 selected").waitFor();
  await button(page, "Set budget").last().click();
  const dialog = page.getByRole("dialog", { name: "Budget for 4 people" });
  await field(dialog, "Limit in dollars").fill("ten");
  await button(dialog, "Set budget").click();
  await dialog.getByText("This is not a dollar amount. Enter it as 25 or 0.50.").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await field(dialog, "Limit in dollars").fill("12.50");
  await dialog.getByText("4 people: $12.50 per month.").waitFor();
  await dialog.getByRole("radio", { name: "Require approval" }).check();
  await dialog.getByText("A run over the limit waits until an admin approves it.").waitFor();
  await button(dialog, "Set budget").click();
  await page.getByText("Set the budget for 4 people").waitFor();
  await row(page, "Ben Printer").getByText("$0.00 of $12.50 per month").waitFor();
  expect(await row(page, "Eli Printer").getByText("no budget").count()).toBe(1);
  expect(await budgetsOfPeople()).toMatchObject(
    Array(4).fill({ limitMicros: 12_500_000, period: "month", onLimit: "ask" }),
  );
});

it("a budget for many people says how many it replaces", async () => {
  const page = await open("/admin/budgets");
  await page.getByRole("checkbox", { name: "Select all 6" }).click();
  await button(page, "Set budget").last().click();
  const dialog = page.getByRole("dialog");
  await field(dialog, "Limit in dollars").fill("1,000");
  await dialog
    .getByText("6 people: $1,000.00 per month. Replaces 4 budgets (per month).")
    .waitFor();
  await button(dialog, "Cancel").click();
  await dialog.waitFor({ state: "hidden" });
  expect(await budgetsOfPeople()).toHaveLength(4);
});

it("a form that the server refuses keeps its values and can be sent again", async () => {
  const page = await open("/admin/budgets");
  await page.getByRole("searchbox", { name: "Search by name" }).fill("eli");
  await box(page, "Ann Printer").waitFor({ state: "hidden" });
  await button(page, "Set budget for Eli Printer").click();
  const dialog = page.getByRole("dialog", { name: "Budget for Eli Printer" });
  await dialog.getByRole("radio", { name: "Day" }).check();
  await field(dialog, "Limit in dollars").fill("3");
  await page.route("**/api/v1/admin/budgets", (route) =>
    route.request().method() === "PUT" ? route.abort() : route.continue(),
  );
  await button(dialog, "Set budget").click();
  await dialog.getByText("The server could not be reached.").waitFor();
  await dialog.getByText("Your input is still here.").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.unroute("**/api/v1/admin/budgets");
  await button(dialog, "Set budget").click();
  await row(page, "Eli Printer").getByText("$0.00 of $3.00 per day").waitFor();
});

it("a budget is edited in place and removed, for one person and for many", async () => {
  const page = await open("/admin/budgets");
  await button(page, "Edit budget: Ann Printer, $12.50 per month").click();
  const dialog = page.getByRole("dialog", { name: "Budget for Ann Printer" });
  expect(await field(dialog, "Limit in dollars").inputValue()).toBe("12.50");
  await field(dialog, "Limit in dollars").fill("20");
  await button(dialog, "Set budget").click();
  await row(page, "Ann Printer").getByText("$0.00 of $20.00 per month").waitFor();
  await page.getByRole("checkbox", { name: "Select all 6" }).click();
  await button(page, "Remove budget").click();
  const asked = page.getByRole("dialog", { name: "Remove budgets of 6 people?" });
  await asked.getByRole("radio", { name: "Month" }).check();
  await asked
    .getByText("This removes 4 budgets (per month). Recorded costs are not affected.")
    .waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await button(asked, "Remove").click();
  await row(page, "Ann Printer").getByText("no budget").waitFor();
  expect(await budgetsOfPeople()).toMatchObject([{ period: "day", limitMicros: 3_000_000 }]);
});

it("the instance and new people have budgets of their own", async () => {
  const page = await open("/admin/budgets");
  await button(page, "Set budget").first().click();
  await field(page.getByRole("dialog"), "Limit in dollars").fill("500");
  await button(page.getByRole("dialog"), "Set budget").click();
  await page.getByText("$0.00 of $500.00 spent").waitFor();
  await button(page, "Each new person").click();
  await field(page.getByRole("dialog"), "Limit in dollars").fill("5");
  await button(page.getByRole("dialog"), "Set budget").click();
  await page
    .getByRole("listitem")
    .filter({ hasText: "Each new person" })
    .getByText("$5.00 per month.")
    .waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await joinStudio(
    studio,
    { name: "Fay New", email: "fay@example.org", password: "a staple and a battery" },
    joinedFrom,
  );
  await page.reload();
  await row(page, "Fay New").getByText("$0.00 of $5.00 per month").waitFor();
});

/** Opens a page on which every list of people with budgets has two rows per page. */
async function openInPairs(path: string): Promise<Page> {
  const page = await open("/");
  await page.route(
    /\/api\/v1\/(admin\/budgets\/payers|projects\/[^/]+\/members)(\?|$)/,
    (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set("limit", "2");
      return route.continue({ url: url.href });
    },
  );
  await page.goto(path);
  return page;
}

it("people are listed page by page, and a budget for all search results includes those not shown", async () => {
  const page = await openInPairs("/admin/budgets");
  const list = page.getByRole("list", { name: "People", exact: true });
  await button(page, "Set budget for all 7").waitFor();
  expect(await list.getByRole("listitem").count()).toBe(2);
  await button(page, "Show more: People").click();
  await row(page, "Cleo Printer").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const search = page.getByRole("searchbox", { name: "Search by name" });
  await search.fill("nobody has this");
  await page.getByText("No people or projects found.").waitFor();
  await search.fill("PRINTER");
  await button(page, "Set budget for all 5").click();
  const dialog = page.getByRole("dialog", { name: "Budget for 5 people" });
  await dialog.getByRole("radio", { name: "Total" }).check();
  await field(dialog, "Limit in dollars").fill("70");
  await dialog.getByText("Replaces their existing budgets (in total).").waitFor();
  await button(dialog, "Set budget").click();
  await row(page, "Ann Printer").getByText("$0.00 of $70.00").waitFor();
  const total = async () =>
    (await payers())
      .filter(({ budgets }) => budgets.some(({ period }) => period === "total"))
      .map(({ name }) => name);
  expect(await total()).toEqual(others.map((name) => `${name} Printer`));
  await button(page, "Remove budget of all 5").click();
  const asked = page.getByRole("dialog", { name: "Remove budgets of 5 people?" });
  await asked.getByRole("radio", { name: "Total" }).check();
  await asked.getByText("This removes their budgets (in total).").waitFor();
  await button(asked, "Remove").click();
  await soon(total).toEqual([]);
});

it("a project's members are listed page by page, and the server searches all of them", async () => {
  await studio.api.send("POST", `/projects/${studio.api.projectId}/members`, {
    email: "gus@example.org",
    role: "editor",
  });
  const page = await openInPairs(`/projects/${studio.api.projectId}`);
  const members = page.getByRole("list", { name: "Members", exact: true });
  await members.getByText("Ann Printer").waitFor();
  expect(await members.getByRole("listitem").count()).toBe(2);
  const invites = page.getByRole("list", { name: "Open invitations" });
  await invites.getByText("gus@example.org").waitFor();
  await button(page, "Show more: Members").click();
  await members.getByText("Cleo Printer").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const search = page.getByRole("searchbox", { name: "Search members" });
  await search.fill("cleo@");
  await members.getByText("Ann Printer").waitFor({ state: "detached" });
  await page.getByText("1 result", { exact: true }).waitFor({ state: "attached" });
  await members.getByRole("button", { name: "Remove Cleo Printer from the project" }).click();
  await button(page.getByRole("dialog"), "Remove member").click();
  await page.getByText("No member has this name or email address.").waitFor();
  await search.fill("");
  await members.getByText("Ann Printer").waitFor();
  // The field stays and keeps the focus.
  expect(await search.evaluate((field) => field === document.activeElement)).toBe(true);
  // Both pages load again, and there is no third.
  await members.getByText("Ben Printer").waitFor();
  await members.getByText("Cleo Printer").waitFor({ state: "detached" });
  await button(page, "Show more: Members").waitFor({ state: "detached" });
  expect(await search.isVisible()).toBe(true);
});

it("a manager sets the project's own budget next to the admin's, which they can't change", async () => {
  const setting = {
    scope: "project",
    scopeIds: [studio.api.projectId],
    period: "month",
    timeZone: "UTC",
    onLimit: "block",
  };
  await studio.api.send("PUT", "/admin/budgets", { ...setting, limitMicros: 80_000_000 });
  const page = await open(`/projects/${studio.api.projectId}`);
  const bars = page.getByRole("listitem").filter({ hasText: "spent" });
  await bars
    .filter({ hasText: "$0.00 of $80.00 spent" })
    .filter({ hasText: "Set by an admin." })
    .waitFor();
  await button(page, "Set budget").click();
  const dialog = page.getByRole("dialog", { name: "Budget for Tide almanac" });
  await dialog.getByRole("radio", { name: "Total" }).check();
  await button(dialog, "Set budget").click();
  await dialog.getByText("Enter an amount in dollars, such as 25 or 0.50.").waitFor();
  await field(dialog, "Limit in dollars").fill("40");
  await button(dialog, "Set budget").click();
  await bars
    .filter({ hasText: "$0.00 of $40.00 spent" })
    .filter({ hasText: "Set by the project’s managers." })
    .waitFor();
  expect(await bars.filter({ hasText: "$80.00" }).getByRole("button").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await button(page, /^Remove budget/).click();
  await button(page.getByRole("dialog"), "Remove").click();
  await page.getByText("Removed the budgets").waitFor();
  await bars.filter({ hasText: "$40.00" }).waitFor({ state: "hidden" });
});

it("a webhook gets budget events: its secret is shown once, a test arrives, and it can be removed", async () => {
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    received.push(String(request.headers["webhook-signature"]));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void receiver.close());
  const { port } = receiver.address() as AddressInfo;
  const page = await open("/admin/budgets");
  await field(page, "URL").fill("not an address");
  await button(page, "Add webhook").click();
  await page.getByText(/This is not a webhook URL/).waitFor();
  await field(page, "URL").fill(`http://127.0.0.1:${port}/hook`);
  await button(page, "Add webhook").click();
  await page.getByRole("dialog", { name: "New signing secret" }).waitFor();
  expect(await page.getByLabel("Signing secret", { exact: true }).inputValue()).toMatch(/^whsec_/);
  expect(await findBarriers(page)).toEqual([]);
  await button(page, "Done").click();
  await button(page, "Send test").click();
  await soon(() => received.length).toBe(1);
  expect(received[0]).toMatch(/^v1,/);
  await page.reload();
  await page.getByText(/Last delivery succeeded/).waitFor();
  await button(page, `Actions for 127.0.0.1:${port}`).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await button(page.getByRole("dialog"), "Remove").click();
  await button(page, "Send test").waitFor({ state: "detached" });
});

it("an admin limits a person's storage in gigabytes and removes the limit again", async () => {
  const page = await open("/admin/storage");
  await page.getByLabel("Each person, in GB").fill("10");
  await page.getByRole("button", { name: "Save limits" }).click();
  const saved = async () => (await studio.api.get<{ limits: unknown }>("/admin/storage")).limits;
  await soon(saved).toEqual({ personBytes: 10e9, projectBytes: null });
  expect(await findBarriers(page)).toEqual([]);
  await page.getByLabel("Each person, in GB").fill("");
  await page.getByRole("button", { name: "Save limits" }).click();
  await soon(saved).toEqual({ personBytes: null, projectBytes: null });
});

import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button, field } from "../../support/browser/locators.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import { type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";

/** An admin compares a bill: two runs billed at other amounts, one not billed, one unknown here. */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let connectionId: string;
const prompts = ["as it was", "dearer", "cheaper", "not on the bill"];

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  const { connection } = await studio.api.send<{ connection: { id: string } }>(
    "POST",
    "/connections",
    {
      kind: "fal",
      name: "Pictures",
      scope: "instance",
      values: fal.values,
    },
  );
  connectionId = connection.id;
  await Promise.all(prompts.map(make));
  billOf("dearer").nanoUsd = 31_234_567;
  billOf("cheaper").nanoUsd = 0;
  fal.ledger.billing.splice(fal.ledger.billing.indexOf(billOf("not on the bill")), 1);
  fal.ledger.billing.push({
    ...billOf("as it was"),
    requestId: "somebody-elses",
    nanoUsd: 7_000_000,
  });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), fal?.stop()]);
});

const billOf = (prompt: string) =>
  fal.ledger.billing.find(({ requestId }) => requestId === fal.requestIdOf(prompt))!;

async function make(prompt: string): Promise<void> {
  const { runs } = await studio.api.send<{ runs: Run[] }>("POST", "/runs", {
    projectId: studio.api.projectId,
    models: [{ connectionId, modelId: "sim/flux/dev" }],
    task: "image",
    input: { prompt, image_size: { width: 64, height: 64 } },
  });
  const path = `/runs/${runs[0]?.id}`;
  await until(
    `${prompt} is made`,
    async () => (await studio.api.get<{ run: Run }>(path)).run.state === "succeeded",
  );
}

async function open(
  options: Parameters<Studio["openAs"]>[1] = {},
): Promise<{ page: Page; dialog: Locator }> {
  const { page } = await studio.openAs(browser, options);
  keepStrict(page);
  await page.goto(`/admin/connections?connection=${connectionId}`);
  await button(page, "Compare with bill").click();
  const dialog = page.getByRole("dialog", { name: "Compare with the bill of Pictures" });
  await button(dialog, "Compare").waitFor();
  return { page, dialog };
}
const list = (dialog: Locator, name: string) => dialog.getByRole("region", { name, exact: true });
const total = (dialog: Locator, name: string) =>
  dialog.locator("dl > div").filter({ hasText: name });

it("a key that can't read the bill is reported at its field, and an admin's key shows the differences", async () => {
  const { page, dialog } = await open();
  await field(dialog, "Billing API key").fill(fal.key);
  await button(dialog, "Compare").click();
  await dialog.getByText("fal does not show its bills to this key.").waitFor();
  expect(await findBarriers(page)).toEqual([]);

  await field(dialog, "Billing API key").fill(fal.adminKey);
  await button(dialog, "Compare").click();
  await total(dialog, "Billed").getByText("$0.063235").waitFor();
  await total(dialog, "Booked here").getByText("$0.10").waitFor();
  await total(dialog, "Difference").getByText("1 run matches").waitFor();
  const differing = list(dialog, "Costs that differ");
  expect(await differing.getByRole("row").count()).toBe(3);
  await differing.getByRole("row").filter({ hasText: "+$0.006235" }).waitFor();
  await list(dialog, "Billed but unknown here").getByText("somebody-elses").waitFor();
  expect(
    await list(dialog, "Booked but not billed").getByRole("link", { name: "Open run" }).count(),
  ).toBe(1);
  expect(await findBarriers(page)).toEqual([]);
});

it("an invoice with unknown column names is compared once its columns are chosen", async () => {
  const { page, dialog } = await open();
  await dialog.getByRole("radio", { name: "From a CSV file" }).check();
  const lines = fal.ledger.billing.map(
    ({ requestId, nanoUsd }) => `${requestId},$${(nanoUsd / 1e9).toFixed(9)}`,
  );
  const csv = ["Vorgang,Betrag", ...lines].join("\n");
  await field(dialog, "Invoice").setInputFiles({
    name: "invoice.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(csv),
  });
  await button(dialog, "Compare").click();
  await dialog.getByText("Choose the column.").first().waitFor();
  for (const [column, name] of [
    ["Request ID", "Vorgang"],
    ["Cost in dollars", "Betrag"],
  ] as const) {
    await dialog.getByRole("combobox", { name: column }).click();
    await page.getByRole("option", { name }).click();
    await dialog.getByText("Reading the bill").waitFor({ state: "detached" });
  }
  await dialog.getByText(`${lines.length} lines compared`).waitFor();
  await list(dialog, "Costs that differ").waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("a file that isn't an invoice is reported with its line", async () => {
  const { dialog } = await open();
  await dialog.getByRole("radio", { name: "From a CSV file" }).check();
  const buffer = Buffer.from("request_id,cost\nr1,much");
  await field(dialog, "Invoice").setInputFiles({
    name: "invoice.csv",
    mimeType: "text/csv",
    buffer,
  });
  await button(dialog, "Compare").click();
  await dialog
    .getByText("Line 2: “much” under “cost” is no amount of dollars like 1234.56.")
    .waitFor();
});

it("the provider's bill is booked for one run, then for the others, and no difference is left", async () => {
  const { dialog } = await open({ viewport: { width: 390, height: 844 } });
  await field(dialog, "Billing API key").fill(fal.adminKey);
  await button(dialog, "Compare").click();
  const differing = list(dialog, "Costs that differ");
  const dearer = differing.getByRole("row").filter({ hasText: "+$0.006235" });
  await button(dearer, "Book as billed").click();
  await dearer.getByText("booked").waitFor();
  await button(differing, "Book 1 as billed").click();
  await differing.getByRole("row").filter({ hasText: "-$0.025" }).getByText("booked").waitFor();
  await button(dialog, "Compare").click();
  await total(dialog, "Difference").getByText("3 runs match").waitFor();
  expect(await differing.count()).toBe(0);
  const { total: spent } = await studio.api.get<{ total: { micros: number } }>(
    `/usage?from=2020-01-01&to=2099-01-01`,
  );
  expect(spent.micros).toBe(25_000 + 31_235 + 25_000);
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button } from "../../support/browser/locators.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import { type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { pack, takeApart } from "../../support/studio/project-archives.ts";

let browser: Browser;
let studio: Studio;
let zip: Buffer;

beforeAll(async () => {
  // No file of an import is stored before `whileStoring`, so its progress can be looked at.
  [browser, studio] = await Promise.all([
    launchBrowser(),
    startStudio({ env: { BOTTEGA_FAILPOINTS: "import.file=hold" } }),
  ]);
  for (let i = 0; i < 9; i++)
    await studio.api.upload(`note ${i}.txt`, new TextEncoder().encode(`The words of note ${i}.`));
  const answer = await fetch(`${studio.url}/api/v1/projects/${studio.api.projectId}/export`, {
    headers: { cookie: studio.api.cookie },
  });
  zip = Buffer.from(await answer.arrayBuffer());
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

const archive = (buffer: Buffer, name = "tide-almanac.zip") => ({
  name,
  mimeType: "application/zip",
  buffer,
});

/** Lets every file of the imports through until `ended` resolves. */
async function whileStoring(ended: Promise<unknown>): Promise<void> {
  const letting = setInterval(() => studio.child.kill("SIGUSR2"), 50);
  await ended.finally(() => clearInterval(letting));
}

async function openDialog(page: Page): Promise<void> {
  await button(page, /^Project: .*Switch project/).click();
  await page.getByRole("menuitem", { name: "New project" }).click();
  await page.getByRole("dialog", { name: "New project" }).waitFor();
}
const choose = (page: Page, file: ReturnType<typeof archive>) =>
  page.locator("#project-archive").setInputFiles(file);

async function open(): Promise<Page> {
  const { page } = await studio.openAs(browser);
  keepStrict(page);
  await page.goto("/");
  await openDialog(page);
  return page;
}

it("a wrong file is reported in a sentence, and another can be chosen at once", async () => {
  const page = await open();
  await choose(page, archive(Buffer.from("just words"), "holiday.zip"));
  await page.getByText("This is not a ZIP.").waitFor();
  await choose(
    page,
    archive(await pack({ entries: new Map([["holiday.txt", Buffer.from("sea")]]) })),
  );
  await page.getByText("This ZIP is not an exported Bottega project.").waitFor();
  await choose(page, archive(zip.subarray(0, zip.length - 40)));
  await page.getByText("This ZIP is incomplete").waitFor();
  const parts = await takeApart(zip);
  const [name] = [...parts.entries.keys()].filter((entry) => entry.startsWith("files/"));
  parts.entries.set(name!, Buffer.from("The words of note X."));
  await choose(page, archive(await pack(parts)));
  await whileStoring(page.getByText("Tide almanac could not be imported").waitFor());
  await page.getByText("is another file than its name says").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await button(page, "Dismiss").click();
  await page.getByText("Tide almanac could not be imported").waitFor({ state: "detached" });
  expect(await button(page, "Import project").isEnabled()).toBe(true);
});

it("a project is imported while a second tab and a reload show its progress, and opens when it is complete", async () => {
  const page = await open();
  const second = await page.context().newPage();
  await second.goto("/");
  await choose(page, archive(zip));
  await page.getByText(/^(Reading|Importing) Tide almanac/).waitFor();
  await openDialog(second);
  await second.getByText(/^Importing Tide almanac: 0 of 9 files/).waitFor();
  await second.reload();
  await openDialog(second);
  await second.getByText(/^Importing Tide almanac/).waitFor();
  await second.close();
  await whileStoring(page.waitForURL("**/projects/*"));
  await page.getByRole("heading", { name: "Tide almanac" }).first().waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1)!;
  expect(id).not.toBe(studio.api.projectId);
  await page.goto("/library");
  await page.getByText("note 3").first().waitFor();
});

it("a stopped import leaves nothing behind", async () => {
  const page = await open();
  const before = (await studio.api.get<{ projects: unknown[] }>("/projects")).projects.length;
  await choose(page, archive(zip));
  await page.getByText(/^Importing Tide almanac/).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await button(page, "Stop").click();
  await whileStoring(button(page, "Import project").waitFor());
  expect((await studio.api.get<{ projects: unknown[] }>("/projects")).projects).toHaveLength(
    before,
  );
});

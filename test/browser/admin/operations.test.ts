import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { button, field } from "../../support/browser/locators.ts";
import { setUpStudio } from "../../support/browser/set-up-studio.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { createTempFolder } from "../../support/temp.ts";

const { studio, open } = setUpStudio();

it("admins read the stored sizes, the audit log and the server's health", async () => {
  const body = { name: "Nightly", projectId: studio().api.projectId, scopes: ["chat"] };
  await studio().api.send("POST", "/me/keys", body);
  const page = await open("/admin/storage");
  await page.getByRole("heading", { name: "Stored files" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);

  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByRole("heading", { name: "Audit log" }).waitFor();
  await page.getByRole("button", { name: "Created an API key" }).waitFor();
  // No entry is open yet, so there is no panel to show.
  expect(await button(page, "Open inspector").count()).toBe(0);
  await page.getByRole("button", { name: "Created an API key" }).click();
  const entry = page.getByRole("complementary", { name: "Entry" });
  await entry.getByText("API key Nightly").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await field(page, "Search by person").fill("nobody at all");
  await page.getByText("No entries match these filters.").waitFor();

  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("heading", { name: "Everything works" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("an owner sets daily backups, and the first one is created", async () => {
  const folder = join(createTempFolder("backups"), "bottega");
  mkdirSync(folder, { recursive: true });
  const page = await open("/admin/backups");
  await field(page, "Folder on the server").fill("backups");
  await button(page, "Save settings").click();
  await page.getByText(/Enter the full path of the folder/).waitFor();
  await field(page, "Folder on the server").fill(folder);
  await button(page, "Save settings").click();
  await page.getByRole("heading", { name: "Backups in the folder" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("a letter opens the list of aspect ratios at the first that begins with it, and a choice is saved", async () => {
  const page = await open("/settings/defaults");
  // The letter that opens the list selects the option that begins with it, as in a native select.
  await field(page, "Aspect ratio").press("4");
  await expect
    .poll(() => page.getByRole("option", { name: "4:3" }).getAttribute("data-highlighted"))
    .toBe("");
  await page.getByRole("option", { name: "16:9" }).click();
  const shape = async () =>
    (await studio().api.get<{ user: { defaults: object } }>("/me")).user.defaults;
  await expect.poll(shape).toMatchObject({ pictureShape: "16:9", chatModel: null });
  expect(await findBarriers(page)).toEqual([]);
});

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { signInWith, startStudio } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";
import { createTempFolder } from "../../support/temp.ts";

const tile = (page: Page, name: string) =>
  page.getByRole("grid").getByRole("link", { name, exact: true });

it("a hundred thousand files need fewer than 1,500 elements, also after a jump to the middle and the end", async () => {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const dataFolder = createTempFolder("crowded");
  const first = await startStudio({ dataFolder });
  const { id } = await first.api.upload("one.txt", Buffer.from("One of many.\n"));
  await first.stop();
  multiplyAsset(join(dataFolder, "bottega.db"), id, 100_000);
  // The event loop was blocked and must first process that the stopped server closed its sockets.
  await new Promise(setImmediate);
  const crowded = await startStudio({ dataFolder, setUp: false });
  onTestFinished(async () => void (await crowded.stop()));
  const { page: many, context } = await crowded.openAs(browser);
  await signInWith(context, crowded.url, first.api.cookie);
  await many.goto("/library");
  await tile(many, "copy 99999").waitFor({ timeout: 30_000 });
  const slider = many.getByRole("slider", { name: "Date" });
  const elements = () => many.evaluate(() => document.querySelectorAll("*").length);
  expect(await elements()).toBeLessThan(1_500);
  const track = (await slider.boundingBox())!;
  await slider.click({ position: { x: 10, y: track.height / 2 } });
  await many
    .getByRole("link", { name: /^copy (49|50)\d{3}$/ })
    .first()
    .waitFor();
  expect(await elements()).toBeLessThan(1_500);
  await slider.press("?");
  const keys = many.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.getByText("Previous and next month").waitFor();
  await many.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  await slider.press("End");
  await tile(many, "copy 0").waitFor();
  expect(await elements()).toBeLessThan(1_500);
  // A new list starts at its top, not at the previous scroll position.
  await many.getByRole("button", { name: "Newest first" }).click();
  await many.getByRole("menuitemcheckbox", { name: "Oldest first" }).click();
  await soon(() => many.getByRole("row").first().getAttribute("aria-rowindex")).toBe("1");
  await tile(many, "copy 1").waitFor();
});

/**
 * Copies an asset's row, each copy a minute newer than the previous one, like a library after years
 * of use.
 */
function multiplyAsset(file: string, assetId: string, count: number): void {
  const db = new DatabaseSync(file);
  const row = db.prepare("select * from asset where id = ?").get(assetId) as Record<
    string,
    string | number | null
  >;
  const { row: _, ...columns } = row;
  const names = Object.keys(columns);
  const insert = db.prepare(
    `insert into asset (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
  );
  db.exec("begin");
  for (let place = 0; place < count; place++) {
    const at = Number(row.created_at) + place * 60_000;
    const time = at.toString(16).padStart(12, "0");
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${place.toString(16).padStart(12, "0")}`;
    const copy = { ...columns, id, title: `copy ${place}`, search: "", created_at: at };
    insert.run(...names.map((name) => copy[name as keyof typeof copy] ?? null));
  }
  db.exec("commit");
  db.close();
}

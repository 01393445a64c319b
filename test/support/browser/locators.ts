import type { Locator, Page } from "playwright-core";

/** A button by its full name, or by a pattern. */
export const button = (on: Page | Locator, name: string | RegExp): Locator =>
  on.getByRole("button", { name, exact: typeof name === "string" });
export const field = (on: Page | Locator, label: string): Locator =>
  on.getByLabel(label, { exact: true });

/** Opens the palette over the page and finds entries by name. The palette stays open. */
export async function findInPalette(page: Page, name: string): Promise<Locator> {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill(name);
  return page.getByRole("option", { name: new RegExp(`^${name}`) });
}

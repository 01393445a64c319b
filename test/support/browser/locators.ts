import type { Locator, Page } from "playwright-core";

/** A button by its whole name, or by a pattern. */
export const button = (on: Page | Locator, name: string | RegExp): Locator =>
  on.getByRole("button", { name, exact: typeof name === "string" });
export const field = (on: Page | Locator, label: string): Locator =>
  on.getByLabel(label, { exact: true });

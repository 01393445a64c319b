import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

/** What a page said that it never should: breaches of its own policy, and errors that nobody caught. Grows while the page lives. */
export function watchPage(page: Page): string[] {
  const breaches: string[] = [];
  page.on("pageerror", (error) => breaches.push(String(error)));
  page.on("console", (message) => {
    if (/Content Security Policy|Trusted ?(Script|HTML|Type)/i.test(message.text())) breaches.push(message.text());
  });
  return breaches;
}

/** Closes the page's profile when the test ends, and fails the test for what the page said that it never should. */
export function keepStrict(page: Page): void {
  const breaches = watchPage(page);
  onTestFinished(async () => {
    await page.context().close();
    expect(breaches).toEqual([]);
  });
}

/** The rules of WCAG that the page breaks as it stands, each with where. */
export async function findBarriers(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

/** What a page said that it never should: breaches of its own policy, and errors that nobody caught. Grows while the page lives. */
export function watchPage(page: Page): string[] {
  const breaches: string[] = [];
  page.on("pageerror", (error) => breaches.push(String(error)));
  page.on("console", (message) => {
    // The last is a text that is asked for before its area is loaded: people would read its id.
    if (
      /Content Security Policy|Trusted ?(Script|HTML|Type)|Uncompiled message/i.test(message.text())
    )
      breaches.push(message.text());
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

const regionMatcher = "dialog, [role=dialog], [role=alertdialog], svg, [role=menu], [role=listbox]";
/** Base UI puts these around a popup: each hands the focus on as it gets it. */
const focusGuards = "[data-base-ui-focus-guard]";

/**
 * The rules of axe that the page breaks as it stands, each with where. Our pages have no frames, so axe runs in the page itself,
 * and is put there once: half a megabyte of script a look was most of each look.
 * @param within a selector, where only a part is to be looked at
 * @param rules ids of axe's rules, where only what they see may have changed
 */
export async function findBarriers(
  page: Page,
  within?: string,
  rules?: string[],
): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async ({ within, rules, regionMatcher, focusGuards }) => {
      const { run, configure } = (window as unknown as { axe: typeof axe }).axe;
      // An open menu has the focus and is no part of the page's landmarks, as a dialog isn't.
      configure({ checks: [{ id: "region", options: { regionMatcher } }] });
      // The one that draws diagrams is shown to nobody.
      if (document.querySelector('iframe:not([aria-hidden="true"]), frame'))
        throw new Error("this page has a frame, which nobody would look into");
      const options = {
        iframes: false,
        resultTypes: ["violations" as const],
        ...(rules && { runOnly: rules }),
      };
      const context = { include: [[within ?? "html"]], exclude: [[focusGuards]] };
      return (await run(context, options)).violations;
    },
    { within, rules, regionMatcher, focusGuards },
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
  );
}

import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

/** Collects a page's CSP violations and uncaught errors. The list grows while the page lives. */
export function watchPage(page: Page): string[] {
  const breaches: string[] = [];
  page.on("pageerror", (error) => breaches.push(String(error)));
  page.on("console", (message) => {
    // The last is a text used before its area is loaded; people would see its id.
    if (
      /Content Security Policy|Trusted ?(Script|HTML|Type)|Uncompiled message/i.test(message.text())
    )
      breaches.push(message.text());
  });
  return breaches;
}

/**
 * Closes the page's profile when the test ends, and fails the test if the page reported violations
 * or errors.
 */
export function keepStrict(page: Page): void {
  const breaches = watchPage(page);
  onTestFinished(async () => {
    await page.context().close();
    expect(breaches).toEqual([]);
  });
}

const regionMatcher = "dialog, [role=dialog], [role=alertdialog], svg, [role=menu], [role=listbox]";
/** Base UI's guards around a popup, which pass the focus on as they receive it. */
const focusGuards = "[data-base-ui-focus-guard]";

/**
 * The axe rules that the page currently breaks, each with its location. Bottega's pages have no
 * frames, so axe runs in the page itself and is injected once, because injecting half a megabyte of
 * script each time took most of the check.
 * @param within a selector, to check only a part
 * @param rules ids of axe's rules, to check only what may have changed
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
      // Like a dialog, an open menu has the focus and isn't part of the page's landmarks.
      configure({ checks: [{ id: "region", options: { regionMatcher } }] });
      // The frame that draws diagrams is hidden.
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

import type { Page } from "playwright-core";
import { drawn } from "./late-answers.ts";
import { takePicture } from "./pictures.ts";
import { findBarriers } from "./strict-page.ts";

const widths = [
  { name: "1440", width: 1440, height: 900 },
  { name: "390", width: 390, height: 844 },
] as const;
const themes = ["light", "dark"] as const;

const popup = (page: Page) => page.locator("[role=dialog], [role=menu]").first();

async function isWithin(page: Page, width: number): Promise<boolean> {
  const box = (await popup(page).isVisible()) ? await popup(page).boundingBox() : null;
  return box !== null && box.x + box.width <= width;
}

async function openAgain(page: Page, open?: (page: Page) => Promise<unknown>): Promise<void> {
  if (await popup(page).isVisible()) await page.keyboard.press("Escape");
  await open?.(page);
}

/**
 * Checks the open page wide and narrow, light and dark, without loading it again.
 * @param open opens a popup again that a new width closed or moved out of sight
 * @returns each broken axe rule, and each width that the page overflows
 */
export async function findFaultsInLooks(
  page: Page,
  name: string,
  open?: (page: Page) => Promise<unknown>,
): Promise<string[]> {
  const faults: string[] = [];
  const isPopup = await popup(page).isVisible();
  for (const { name: width, ...size } of widths) {
    await page.setViewportSize(size);
    // The layout for a width is drawn in the next frame.
    await drawn(page);
    if (isPopup && !(await isWithin(page, size.width))) await openAgain(page, open);
    for (const theme of themes) {
      await page.evaluate(
        (value) => document.documentElement.setAttribute("data-theme", value),
        theme,
      );
      await takePicture(page, `${name}-${width}-${theme}`);
      // A theme changes only colors.
      const rules = theme === "light" ? undefined : ["color-contrast"];
      const barriers = await findBarriers(page, undefined, rules);
      faults.push(...barriers.map((barrier) => `${name}, ${width}, ${theme}: ${barrier}`));
    }
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    if (overflow > 0) faults.push(`${name}, ${width}: ${overflow} px too wide`);
  }
  return faults;
}

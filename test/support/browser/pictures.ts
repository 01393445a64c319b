import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const folder = process.env.TEST_PICTURES;

/** Saves a screenshot to the folder named by TEST_PICTURES; without it, no screenshot is taken. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

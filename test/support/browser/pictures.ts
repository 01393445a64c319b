import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const folder = process.env.TEST_PICTURES;

/** Writes what a page shows into the folder that TEST_PICTURES names; without one, a picture that nobody looks at is not taken. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

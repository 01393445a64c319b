import type { Locator, Page } from "playwright-core";

type Place = { x: number; y: number };

/** A phone's profile. */
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** A finger on the page, which the browser recognizes as a tap, a press or a swipe. */
export async function fingerOn(page: Page) {
  const session = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", at?: Place) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: at ? [{ ...at, id: 1 }] : [] });
  return {
    down: (at: Place) => touch("touchStart", at),
    move: (at: Place) => touch("touchMove", at),
    up: () => touch("touchEnd"),
  };
}

export async function centerOf(locator: Locator): Promise<Place> {
  const box = await locator.boundingBox();
  if (!box) throw new Error("The element has no box.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

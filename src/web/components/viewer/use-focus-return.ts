import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { isViewing } from "./viewer-address.ts";
import type { ViewerList } from "./viewer-lists.tsx";

/** The most frames to wait for a virtual list to render a tile that scrolls into view. */
const maxFrames = 30;

const tileOf = (assetId: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-asset="${CSS.escape(assetId)}"]`);

/** Whether an element is fully visible in all of its scroll containers. */
function isInSight(element: HTMLElement): boolean {
  const box = element.getBoundingClientRect();
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (!/auto|scroll|hidden/.test(getComputedStyle(around).overflowY)) continue;
    const frame = around.getBoundingClientRect();
    if (box.top < frame.top - 1 || box.bottom > frame.bottom + 1) return false;
  }
  return box.bottom > 0 && box.top < innerHeight;
}

/**
 * Focuses an asset's tile after the viewer has closed, and scrolls only if the tile is out of view.
 */
function focusTile(assetId: string, lists: readonly ViewerList[]): void {
  let frames = 0;
  let isAsked = false;
  const attempt = () => {
    const tile = tileOf(assetId);
    if (tile) {
      if (!isInSight(tile)) tile.scrollIntoView({ block: "nearest" });
      tile.focus({ preventScroll: true });
      return;
    }
    if (!isAsked) {
      isAsked = true;
      for (const list of lists) {
        const index = list.indexOf(assetId);
        if (index !== null) list.reveal?.(index);
      }
    }
    frames += 1;
    if (frames < maxFrames) requestAnimationFrame(attempt);
  };
  // The page below is inert until the viewer is gone.
  requestAnimationFrame(attempt);
}

/** The screen of an address: /library/<id> opens the viewer over the library. */
const screenOf = ({ pathname }: { pathname: string }): string =>
  pathname.startsWith("/library") ? "/library" : pathname;

/** Whether the viewer or the editor covers the screen. */
const isCovered = (address: { pathname: string; search: object }): boolean =>
  isViewing(address) || "editing" in address.search;

/** Returns the focus to the last shown asset's tile when the viewer closes. */
export function useFocusReturn(assetId: string, lists: readonly ViewerList[]): void {
  const router = useRouter();
  const latest = useRef({ assetId, lists });
  useEffect(() => {
    latest.current = { assetId, lists };
  });
  useEffect(() => {
    const screen = screenOf(router.latestLocation);
    return () => {
      const { latestLocation: now } = router;
      // An action may have opened another screen, and the editor and the viewer replace each other.
      if (screenOf(now) === screen && !isCovered(now))
        focusTile(latest.current.assetId, latest.current.lists);
    };
  }, [router]);
}

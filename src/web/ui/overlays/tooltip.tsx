import { Suspense, useEffect, useState } from "react";
import { Boundary } from "../boundary.tsx";
import { firstPart } from "../lazy-part.ts";
import { preload } from "../part.tsx";

const load = () => import("./tooltip-popup.tsx");
const TooltipPopup = firstPart(() => load().then(({ TooltipPopup }) => TooltipPopup));

const openAfterMs = 350;

/**
 * The page's only tooltip: shows the `data-tooltip` of the element that is hovered or focused by
 * keyboard, so that a thousand tiles cost nothing. It repeats or details visible text and never
 * names a control; names belong in `aria-label`.
 */
export function TooltipHost() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current: HTMLElement | null = null;
    const close = () => {
      clearTimeout(timer);
      current = null;
      setOpen(false);
    };
    const show = (event: Event, afterMs: number) => {
      const target =
        event.target instanceof Element
          ? event.target.closest<HTMLElement>("[data-tooltip]")
          : null;
      if (target === current) return;
      close();
      if (!target) return;
      current = target;
      preload(load);
      timer = setTimeout(() => {
        setAnchor(target);
        setOpen(true);
      }, afterMs);
    };
    const onPointer = (event: PointerEvent) => {
      if (event.pointerType === "mouse") show(event, openAfterMs);
    };
    const onFocus = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(":focus-visible")) show(event, 0);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Tab" && event.key !== "Shift") close();
    };
    document.addEventListener("pointerover", onPointer);
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", close);
    document.addEventListener("pointerdown", close);
    document.addEventListener("keydown", onKey);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("pointerover", onPointer);
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", close);
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("keydown", onKey);
    };
  }, []);
  return (
    anchor && (
      <Boundary>
        <Suspense>
          <TooltipPopup anchor={anchor} open={open && anchor.isConnected} />
        </Suspense>
      </Boundary>
    )
  );
}

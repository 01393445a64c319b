import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { loadOptional } from "../data/page/stale-page.ts";
import { t } from "../messages/t.ts";
import { Boundary } from "./boundary.tsx";
import { describeError, isLostPart } from "./describe-error.ts";
import { ErrorState } from "./display/error-state.tsx";
import { useToast } from "./overlays/toast.tsx";

/** A browser does not ask again for code that once did not come: only a new page does. What was typed is kept as drafts. */
export const reload = () => location.reload();

/** How what threw is tried again. */
export const retryOf = (error: unknown, reset: () => void) => (isLostPart(error) ? reload : reset);

/** Code that will be wanted soon. Where it does not come, that is told when it is wanted, and no page reloads for it. */
export const loadEarly = (load: () => Promise<unknown>): void => void loadOptional(load);

/** After the first paint, so that a screen's first use of it needs no wait, and no network. */
const earlyAfterMs = 1_500;
const firstActs = ["pointerdown", "keydown", "input", "drop"] as const;

/** Loads what a screen opens or shows later, a failure above all, while the server can still be reached: soon, or at the first act. */
export function useEarly(load: () => Promise<unknown>): void {
  useEffect(() => {
    const ended = new AbortController();
    const begin = () => {
      ended.abort();
      loadEarly(load);
    };
    const timer = setTimeout(begin, earlyAfterMs);
    ended.signal.addEventListener("abort", () => clearTimeout(timer));
    for (const act of firstActs)
      window.addEventListener(act, begin, { signal: ended.signal, capture: true, passive: true });
    return () => ended.abort();
  }, []);
}

/** What nobody sees in the first moments: it begins after the first paint, and its code comes then. */
export function Later({ children }: { children: ReactNode }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), earlyAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return isDue && children;
}

/** A part of a screen whose code comes when it is wanted. Where it fails, that is said in its place. */
export function Part({ fallback, children }: { fallback?: ReactNode; children: ReactNode }) {
  return (
    <Boundary
      fallback={(error, reset) => (
        <ErrorState compact error={error} onRetry={retryOf(error, reset)} />
      )}
    >
      <Suspense fallback={fallback}>{children}</Suspense>
    </Boundary>
  );
}

/** A part that the screen can do without: nothing stands in its place where its code does not come. */
export function OptionalPart({
  fallback,
  children,
}: {
  fallback?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Boundary>
      <Suspense fallback={fallback}>{children}</Suspense>
    </Boundary>
  );
}

/** Says that a popup could not be opened, and offers the way back where there is one. */
export function usePopupFailure() {
  const toast = useToast();
  return (error: unknown) => {
    const { title, advice } = describeError(error);
    toast({
      text: title,
      detail: advice,
      kind: "error",
      ...(isLostPart(error) && { action: { label: t("ui.reload"), onAction: reload } }),
    });
  };
}

/** Escape takes back the opening of what is still coming, and means nothing else then. */
function Coming({ onClose }: { onClose: () => void }) {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      event.stopPropagation();
      close.current();
    };
    document.addEventListener("keydown", onKeyDown, true);
    return () => document.removeEventListener("keydown", onKeyDown, true);
  }, []);
  return null;
}

/** A popup whose code comes when it is opened. Where it fails it closes with a toast, and the page below it stays. */
export function PopupPart({
  open,
  onClose,
  children,
}: {
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const tell = usePopupFailure();
  const fail = (error: unknown) => {
    tell(error);
    onClose();
  };
  return (
    <Boundary open={open} onError={fail}>
      <Suspense fallback={open && <Coming onClose={onClose} />}>{children}</Suspense>
    </Boundary>
  );
}

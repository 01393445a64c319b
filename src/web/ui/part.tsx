import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { loadOptional } from "../data/page/stale-page.ts";
import { t } from "../messages/t.ts";
import { Boundary } from "./boundary.tsx";
import { describeError, isLostPart } from "./describe-error.ts";
import { ErrorState } from "./display/error-state.tsx";
import { useToast } from "./overlays/toast.tsx";

/**
 * Browsers don't retry a module that failed to load until the page reloads. Typed text is saved as
 * drafts.
 */
export const reload = () => location.reload();

/** How to retry after an error: reload for a lost chunk, otherwise reset. */
export const retryOf = (error: unknown, reset: () => void) => (isLostPart(error) ? reload : reset);

/**
 * Preloads code that will be needed soon. A failure is reported only when the code is needed, and
 * reloads no page.
 */
export const preload = (load: () => Promise<unknown>): void => void loadOptional(load);

/**
 * After the first paint, so that a screen's first use of the code needs neither a wait nor a
 * network.
 */
const preloadDelayMs = 1_500;
const firstEvents = ["pointerdown", "keydown", "input", "drop"] as const;

/**
 * Preloads the components that a screen may open or show later, above all errors, while the server
 * is reachable: after a delay, or at the person's first act.
 */
export function usePreload(load: () => Promise<unknown>): void {
  useEffect(() => {
    const ended = new AbortController();
    const begin = () => {
      ended.abort();
      preload(load);
    };
    const timer = setTimeout(begin, preloadDelayMs);
    ended.signal.addEventListener("abort", () => clearTimeout(timer));
    for (const act of firstEvents)
      window.addEventListener(act, begin, { signal: ended.signal, capture: true, passive: true });
    return () => ended.abort();
  }, []);
}

/**
 * Renders its children after the first paint, for content that isn't visible initially, and loads
 * their code then.
 */
export function AfterFirstPaint({ children }: { children: ReactNode }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), preloadDelayMs);
    return () => clearTimeout(timer);
  }, []);
  return isDue && children;
}

/** A lazily loaded part of a screen. Its error is shown in its place. */
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

/** An optional part of a screen: nothing is shown if its code fails to load. */
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

/** Reports that a popup couldn't be opened, with a button to retry if possible. */
export function usePopupFailure() {
  const toast = useToast();
  return (error: unknown) => {
    const { title, advice } = describeError(error);
    toast({
      text: title,
      detail: advice || undefined,
      kind: "error",
      ...(isLostPart(error) && { action: { label: t("ui.reload"), onAction: reload } }),
    });
  };
}

/** While a popup loads, Escape cancels its opening and nothing else. */
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

/**
 * A popup whose code loads when it is opened. If that fails, it closes with a toast, and the page
 * below it stays.
 */
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

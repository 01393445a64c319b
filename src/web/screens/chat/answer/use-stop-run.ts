import { useEffect } from "react";
import { useCancelRun } from "../../../data/run-change.ts";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

const isInPopup = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('[role="dialog"],[role="menu"],[role="listbox"]') !== null;

/** Cancels a run; a toast reports a failure. */
export function useStopRun(runId: string | null): () => void {
  const cancelRun = useCancelRun();
  const onError = useErrorToast();
  return () => void (runId !== null && cancelRun.mutate(runId, { onError }));
}

/** Like useStopRun, and also stops the run on Escape, wherever the focus is. */
export function useStopByEscape(runId: string | null): () => void {
  const stop = useStopRun(runId);
  useEffect(() => {
    if (runId === null) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.key !== "Escape" ||
        event.defaultPrevented ||
        event.isComposing ||
        isInPopup(event.target)
      )
        return;
      event.preventDefault();
      stop();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [runId]);
  return stop;
}

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../../data/client.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { describeError } from "../../../ui/describe-error.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";

const isInPopup = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('[role="dialog"],[role="menu"],[role="listbox"]') !== null;

/** Stops a run by a button. */
export function useStopRun(runId: string | null): () => void {
  const queryClient = useQueryClient();
  const toast = useToast();
  return () => {
    if (runId === null) return;
    call("cancelRun", { params: { runId } }).then(
      () => queryClient.invalidateQueries({ queryKey: runQuery(runId).queryKey }),
      (error: unknown) => {
        const { title, advice } = describeError(error);
        toast({ text: title, detail: advice, kind: "error" });
      },
    );
  };
}

/** Stops the run of the answer that comes now: by the button, or by Escape wherever the focus is. */
export function useStop(runId: string | null): () => void {
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

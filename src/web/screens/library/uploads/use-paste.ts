import { useEffect, useEffectEvent } from "react";

/** Handles files pasted anywhere on the page, except into a field. */
export function usePaste(onFiles: (files: File[]) => void): void {
  const take = useEffectEvent(onFiles);
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      const { target } = event;
      if (
        files.length === 0 ||
        (target instanceof Element && target.closest("input,textarea,[contenteditable]"))
      )
        return;
      event.preventDefault();
      take(files);
    };
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, []);
}

import { useEffect, useRef } from "react";

/** Files pasted anywhere on the page, except into a field. */
export function usePaste(onFiles: (files: File[]) => void): void {
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
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
      latest.current(files);
    };
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, []);
}

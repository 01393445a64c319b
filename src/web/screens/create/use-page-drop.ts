import { useEffect, useEffectEvent, useState } from "react";

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (/^(INPUT|TEXTAREA)$/.test(target.tagName) || target.isContentEditable);

/**
 * Handles files dropped or pasted anywhere on the page outside of file fields.
 * @returns whether files are being dragged over the page
 */
export function usePageDrop(isEnabled: boolean, onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent(onFiles);
  useEffect(() => {
    if (!isEnabled) return;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // Without a related target, the pointer has left the window.
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const end = () => setOver(false);
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      take([...(event.dataTransfer?.files ?? [])]);
    };
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      const hasText = event.clipboardData?.types.includes("text/plain");
      if (event.defaultPrevented || files.length === 0 || (isTyping(event.target) && hasText))
        return;
      event.preventDefault();
      take(files);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    // A field that takes the file stops the event below the document.
    document.addEventListener("drop", end, true);
    document.addEventListener("drop", drop);
    document.addEventListener("paste", paste);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", end, true);
      document.removeEventListener("drop", drop);
      document.removeEventListener("paste", paste);
    };
  }, [isEnabled]);
  return isOver;
}

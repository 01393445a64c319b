import { useEffect, useState } from "react";

/**
 * The palette's query. What is typed after the press that opens it, and before its field has the focus, goes into it: its code may still
 * be coming, and meanwhile each letter would be a shortcut of the screen.
 */
export function useQueryOfPalette(isOpen: boolean) {
  const [query, setQuery] = useState("");
  useEffect(() => {
    if (!isOpen) return undefined;
    setQuery("");
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.key.length !== 1) return;
      event.preventDefault();
      event.stopPropagation();
      setQuery((before) => before + event.key);
    };
    const end = () => {
      document.removeEventListener("keydown", onKeyDown, true);
      document.removeEventListener("focusin", onFocus);
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof HTMLInputElement) end();
    };
    document.addEventListener("keydown", onKeyDown, true);
    document.addEventListener("focusin", onFocus);
    return end;
  }, [isOpen]);
  return { query, onQueryChange: setQuery };
}

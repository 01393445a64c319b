import { useEffect, useState } from "react";

/**
 * The palette's query. Keys pressed after the palette opens and before its field has the focus are
 * added to it; otherwise, while its code loads, each letter would trigger a shortcut of the screen.
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

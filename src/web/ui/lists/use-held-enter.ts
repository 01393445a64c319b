import { type KeyboardEvent, useEffect, useRef } from "react";

/**
 * Makes Enter in a search choose the first result. While the results still belong to the previous
 * search, Enter is held until the new ones arrive; another key cancels it.
 * @param choose chooses the first item
 */
export function useHeldEnter(isBehind: boolean, choose: () => void) {
  const isHeld = useRef(false);
  const latest = useRef(choose);
  useEffect(() => {
    latest.current = choose;
  });
  useEffect(() => {
    if (isBehind || !isHeld.current) return;
    isHeld.current = false;
    latest.current();
  }, [isBehind]);
  return {
    /** Enter was pressed before the search was rendered. */
    press: () => {
      if (isBehind) isHeld.current = true;
      else choose();
    },
    /** @returns whether it held the key */
    onKeyDown: (event: KeyboardEvent): boolean => {
      isHeld.current = isBehind && event.key === "Enter" && !event.nativeEvent.isComposing;
      if (!isHeld.current) return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

import { type KeyboardEvent, useEffect, useRef } from "react";

/**
 * Makes Enter in a search choose the first result. While the results still belong to the previous
 * search, Enter is held until the new ones arrive; another key cancels it.
 * @param choose chooses the first item
 * @returns a keydown handler for the search field, which returns whether it held the key
 */
export function useHeldEnter(
  isBehind: boolean,
  choose: () => void,
): (event: KeyboardEvent) => boolean {
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
  return (event) => {
    isHeld.current = isBehind && event.key === "Enter" && !event.nativeEvent.isComposing;
    if (!isHeld.current) return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
}

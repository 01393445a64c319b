import { type KeyboardEvent, useEffect, useRef } from "react";

/**
 * Enter in a search chooses the first item that it found. While the items are still those of the search before, Enter is held back,
 * and chooses when the others came. Another key lets go of it.
 * @param choose takes the first item
 * @returns a handler for the keys of the search field, which answers whether it held this one
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

import { useCallback, useEffect, useRef } from "react";

/** A function that stays the same and does what it was last given, so that tiles need not be drawn again for it. */
export function useLatest<Given>(act: (given: Given) => void): (given: Given) => void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  return useCallback((given: Given) => latest.current(given), []);
}

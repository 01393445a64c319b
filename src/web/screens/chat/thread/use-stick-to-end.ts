import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Nearer than this to the end, in px, a person is reading what comes. */
const endPx = 48;

/**
 * Keeps a growing column at its end, unless the person scrolled up. `key` names what is shown: another one begins at its end.
 * `toEnd` goes there and stays.
 */
export function useStickToEnd(
  scroll: RefObject<HTMLElement | null>,
  column: RefObject<HTMLElement | null>,
  key: string,
) {
  const isStuck = useRef(true);
  const lastTop = useRef(0);
  const [isAway, setAway] = useState(false);

  const toEnd = useCallback(() => {
    const view = scroll.current;
    if (!view) return;
    isStuck.current = true;
    setAway(false);
    view.scrollTop = view.scrollHeight;
    lastTop.current = view.scrollTop;
  }, [scroll]);

  useLayoutEffect(toEnd, [key, toEnd]);
  useEffect(() => {
    const view = scroll.current;
    const content = column.current;
    if (!view || !content) return;
    const onScroll = () => {
      const left = view.scrollHeight - view.clientHeight - view.scrollTop;
      // Only a move upwards is a person's: what grows below moves nothing up.
      if (left <= endPx) isStuck.current = true;
      else if (view.scrollTop < lastTop.current) isStuck.current = false;
      lastTop.current = view.scrollTop;
      setAway(!isStuck.current && left > endPx);
    };
    const follow = new ResizeObserver(() => {
      if (isStuck.current) view.scrollTop = view.scrollHeight;
      onScroll();
    });
    view.addEventListener("scroll", onScroll, { passive: true });
    follow.observe(content);
    follow.observe(view);
    return () => {
      view.removeEventListener("scroll", onScroll);
      follow.disconnect();
    };
  }, [scroll, column, key]);
  /** Leaves the end without a move of the person: something above is to be seen. */
  const release = useCallback(() => {
    isStuck.current = false;
  }, []);
  return { isAway, toEnd, release };
}

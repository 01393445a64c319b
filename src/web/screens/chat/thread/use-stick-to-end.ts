import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Within this distance of the end, in px, the person follows new text. */
const endPx = 48;

/**
 * Keeps a growing column at its end, unless the person scrolled up. `key` names the content; new
 * content starts at its end. `toEnd` scrolls there and follows it.
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
      // Only the person scrolls up; growing content doesn't.
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
  /** Stops following, to show a message above. */
  const release = useCallback(() => {
    isStuck.current = false;
  }, []);
  /** Whether the thread follows its end now. */
  const isFollowing = useCallback(() => isStuck.current, []);
  return { isAway, toEnd, release, isStuck: isFollowing };
}

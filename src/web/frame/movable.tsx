import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import styles from "./screen.module.css";

/**
 * Keeps content mounted while its place changes: where a phone's layout replaces the wide one, an
 * open dialog stays open with its text. Returns the content, rendered outside of every layout, and
 * its place in a layout. Each is null without content.
 */
export function useMovable(content: ReactNode): { content: ReactNode; place: ReactNode } {
  const [home] = useState(() => {
    const element = document.createElement("div");
    element.className = styles.movable ?? "";
    return element;
  });
  if (!content) return { content: null, place: null };
  return { content: createPortal(content, home), place: <Place home={home} /> };
}

function Place({ home }: { home: HTMLElement }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.append(home), [home]);
  return <div ref={place} className={styles.movable} />;
}

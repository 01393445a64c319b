import { type PointerEvent as ReactPointerEvent, useRef } from "react";
import styles from "./splitter.module.css";

export type SplitterProps = {
  /** What the splitter resizes: "Width of the inspector". */
  label: string;
  /** The panel's width in px. */
  value: number;
  onValueChange: (value: number) => void;
  min: number;
  max: number;
  /** The width restored by a double click or Enter. */
  initial: number;
  /** The side of the splitter on which the panel lies. */
  panel: "before" | "after";
};

const stepPx = 16;

/**
 * A window splitter (WAI-ARIA): dragged, moved with the arrow keys, Home and End, and reset with a
 * double click.
 */
export function Splitter({ label, value, onValueChange, min, max, initial, panel }: SplitterProps) {
  const start = useRef<{ x: number; value: number } | null>(null);
  const sign = panel === "before" ? 1 : -1;
  const set = (next: number) => onValueChange(Math.round(Math.min(max, Math.max(min, next))));
  const begin = (event: ReactPointerEvent<HTMLHRElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, value };
  };
  const keys: Record<string, number> = {
    ArrowLeft: value - sign * stepPx,
    ArrowRight: value + sign * stepPx,
    Home: min,
    End: max,
    Enter: initial,
  };
  return (
    <hr
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      className={styles.splitter}
      style={{ border: 0 }}
      onPointerDown={begin}
      onPointerMove={(event) => {
        if (start.current) set(start.current.value + sign * (event.clientX - start.current.x));
      }}
      onPointerUp={() => {
        start.current = null;
      }}
      onDoubleClick={() => set(initial)}
      onKeyDown={(event) => {
        const next = keys[event.key];
        if (next === undefined) return;
        event.preventDefault();
        set(next);
      }}
    />
  );
}

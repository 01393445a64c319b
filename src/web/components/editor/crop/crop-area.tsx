import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useRef,
  useState,
} from "react";
import { t } from "../../../messages/t.ts";
import styles from "./crop.module.css";
import {
  type Box,
  boxBetween,
  dragBox,
  dragBoxOfRatio,
  fitBox,
  type Handle,
  type Size,
} from "./crop-box.ts";

const handles: readonly Handle[] = ["n", "e", "s", "w", "ne", "se", "sw", "nw"];
const arrows: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** A key press moves by this share of the width; with Ctrl or Command by one pixel. */
const stepShare = 0.01;

type CropAreaProps = {
  /** The area that the rectangle's units refer to. */
  area: Size;
  box: Box;
  /** Kept while the rectangle is dragged; null leaves the ratio free. */
  ratio: number | null;
  onBoxChange: (box: Box) => void;
  /** Limits the rectangle to a part of the area. */
  keepIn?: (from: Box, wanted: Box) => Box;
  /** Guide lines in the rectangle, for leveling. */
  grid?: "thirds" | "fine";
  style?: CSSProperties;
  /** The picture. */
  children: ReactNode;
};

/**
 * The crop rectangle on a picture: dragging outside draws a new one, arrow keys move it, and with
 * Shift they resize it.
 */
export function CropArea({
  area,
  box,
  ratio,
  onBoxChange,
  keepIn = (_, wanted) => wanted,
  grid,
  style,
  children,
}: CropAreaProps) {
  const frame = useRef<HTMLDivElement>(null);
  const held = useRef<{ handle: Handle | "draw"; x: number; y: number; box: Box } | null>(null);
  const [isHeld, setHeld] = useState(false);
  const drag = (from: Box, handle: Handle, dx: number, dy: number): Box =>
    ratio === null
      ? dragBox(from, handle, dx, dy, area)
      : dragBoxOfRatio(from, handle, dx, dy, area, ratio);

  const toPicture = (event: PointerEvent) => {
    const rect = frame.current?.getBoundingClientRect();
    if (!rect || rect.width === 0) return { x: 0, y: 0 };
    const scale = area.width / rect.width;
    return { x: (event.clientX - rect.left) * scale, y: (event.clientY - rect.top) * scale };
  };
  const begin = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    const target = event.target as HTMLElement;
    const handle = (target.dataset.handle ?? "draw") as Handle | "draw";
    frame.current?.setPointerCapture(event.pointerId);
    frame.current
      ?.querySelector<HTMLElement>('[data-handle="move"]')
      ?.focus({ preventScroll: true });
    held.current = { handle, ...toPicture(event), box };
    setHeld(true);
  };
  const move = (event: PointerEvent) => {
    const start = held.current;
    if (!start) return;
    const at = toPicture(event);
    const [dx, dy] = [Math.round(at.x - start.x), Math.round(at.y - start.y)];
    if (start.handle !== "draw") {
      onBoxChange(keepIn(start.box, drag(start.box, start.handle, dx, dy)));
      return;
    }
    const point = fitBox({ x: start.x, y: start.y, width: 1, height: 1 }, area);
    const corner = `${dy < 0 ? "n" : "s"}${dx < 0 ? "w" : "e"}` as Handle;
    const drawn = ratio === null ? boxBetween(start, at, area) : drag(point, corner, dx, dy);
    onBoxChange(keepIn(point, drawn));
  };
  const end = () => {
    held.current = null;
    setHeld(false);
  };
  const onKey = (event: KeyboardEvent) => {
    const [dx, dy] = arrows[event.key] ?? [0, 0];
    if (dx === 0 && dy === 0) return;
    event.preventDefault();
    const step =
      event.ctrlKey || event.metaKey ? 1 : Math.max(1, Math.round(area.width * stepShare));
    onBoxChange(keepIn(box, drag(box, event.shiftKey ? "se" : "move", dx * step, dy * step)));
  };
  const percent = (part: number, whole: number) => `${(part / whole) * 100}%`;
  const place = {
    left: percent(box.x, area.width),
    top: percent(box.y, area.height),
    width: percent(box.width, area.width),
    height: percent(box.height, area.height),
  };
  return (
    <div
      ref={frame}
      className={styles.frame}
      style={style}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
    >
      {children}
      <button
        type="button"
        data-handle="move"
        data-held={isHeld || undefined}
        data-grid={grid}
        className={styles.box}
        style={place}
        aria-label={t("edit.crop.box", { ...box })}
        onKeyDown={onKey}
      >
        {handles.map((handle) => (
          <span key={handle} data-handle={handle} className={styles.handle} aria-hidden />
        ))}
      </button>
    </div>
  );
}

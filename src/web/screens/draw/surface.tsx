import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from "react";
import { useKeysOf } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { VisuallyHidden } from "../../ui/visually-hidden.tsx";
import styles from "./draw.module.css";
import type { Drawing } from "./drawing/drawing.ts";
import { drawingSize, type Point } from "./drawing/paint.ts";

export type Brush = { tool: "brush" | "eraser"; color: string; size: number };
const step = { short: 8, long: 48 };
const directions: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const clamp = (value: number) => Math.min(drawingSize, Math.max(0, value));

/** The drawing surface for touch, pen, mouse and keyboard. A second finger cancels the stroke. */
export function Surface({
  drawing,
  brush,
  isDisabled,
}: {
  drawing: Drawing;
  brush: Brush;
  isDisabled: boolean;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointer = useRef<number | null>(null);
  const hint = useId();
  const [pen, setPen] = useState<{ x: number; y: number; isDown: boolean } | null>(null);
  useEffect(() => {
    drawing.showOn(canvas.current);
    return () => drawing.showOn(null);
  }, [drawing]);

  const toPoint = ({
    clientX,
    clientY,
    pressure,
    pointerType,
  }: globalThis.PointerEvent | PointerEvent): Point => {
    const box = canvas.current!.getBoundingClientRect();
    const scale = drawingSize / box.width;
    // Only a pen reports pressure: a mouse reports 0.5, a finger often 0 or 1.
    return {
      x: (clientX - box.left) * scale,
      y: (clientY - box.top) * scale,
      pressure: pointerType === "pen" ? pressure : 0.6,
    };
  };
  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    if (isDisabled || event.button > 0) return;
    setPen(null);
    if (pointer.current !== null) {
      drawing.abandon();
      pointer.current = null;
      return;
    }
    event.currentTarget.setPointerCapture(event.pointerId);
    pointer.current = event.pointerId;
    // The other end of a pen erases.
    const tool = event.pointerType === "pen" && event.buttons === 32 ? "eraser" : brush.tool;
    drawing.begin(tool, brush.color, brush.size, toPoint(event));
  };
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    if (pointer.current !== event.pointerId) return;
    const all = event.nativeEvent.getCoalescedEvents?.() ?? [];
    drawing.extend((all.length > 0 ? all : [event.nativeEvent]).map(toPoint));
  };
  const onPointerEnd = (event: PointerEvent<HTMLCanvasElement>) => {
    if (pointer.current !== event.pointerId) return;
    pointer.current = null;
    drawing.end();
  };
  useKeysOf("canvas", !isDisabled);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isDisabled || event.metaKey || event.ctrlKey || event.altKey) return;
    const now = pen ?? { x: drawingSize / 2, y: drawingSize / 2, isDown: false };
    const direction = directions[event.key];
    if (direction) {
      const far = event.shiftKey ? step.long : step.short;
      const next = {
        ...now,
        x: clamp(now.x + direction[0] * far),
        y: clamp(now.y + direction[1] * far),
      };
      if (now.isDown) drawing.extend([{ x: next.x, y: next.y, pressure: 0.6 }]);
      setPen(next);
    } else if (event.key === " ") {
      if (now.isDown) drawing.end();
      else
        drawing.begin(brush.tool, brush.color, brush.size, { x: now.x, y: now.y, pressure: 0.6 });
      setPen({ ...now, isDown: !now.isDown });
    } else return;
    event.preventDefault();
  };
  const onBlur = () => {
    if (pen?.isDown) drawing.end();
    setPen(null);
  };
  return (
    <div className={styles.surface}>
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: one draws on it, and its keys are its own */}
      <canvas
        ref={canvas}
        width={drawingSize}
        height={drawingSize}
        className={styles.canvas}
        role="application"
        aria-label={t("draw.surface")}
        aria-describedby={hint}
        aria-disabled={isDisabled || undefined}
        tabIndex={0}
        {...{ onPointerDown, onPointerMove, onKeyDown, onBlur }}
        onPointerUp={onPointerEnd}
        onPointerCancel={onPointerEnd}
      />
      {pen && (
        <span
          className={styles.pen}
          data-down={pen.isDown || undefined}
          style={{
            left: `${(pen.x / drawingSize) * 100}%`,
            top: `${(pen.y / drawingSize) * 100}%`,
          }}
        />
      )}
      <VisuallyHidden>
        <span id={hint}>{t("draw.surface.hint")}</span>
        <span role="status">{pen && (pen.isDown ? t("draw.pen.down") : t("draw.pen.up"))}</span>
      </VisuallyHidden>
    </div>
  );
}

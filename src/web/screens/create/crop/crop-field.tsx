import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { ratioOf as shapeRatio } from "#domain/files/picture-shape.ts";
import { fileUrl, thumbnailUrl } from "../../../components/asset/asset-urls.ts";
import { t } from "../../../messages/t.ts";
import { Field } from "../../../ui/controls/field.tsx";
import styles from "./crop.module.css";
import {
  type Box,
  boxBetween,
  boxOfRatio,
  dragBox,
  dragBoxOfRatio,
  fitBox,
  type Handle,
  hasRatio,
} from "./crop-box.ts";
import { cropFrame } from "./crop-frame.ts";
import { CropRatios, type Ratio } from "./crop-ratios.tsx";

const handles: readonly Handle[] = ["n", "e", "s", "w", "ne", "se", "sw", "nw"];
const arrows: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** A key press moves by this share of the width; with Ctrl or Command by one pixel. */
const stepShare = 0.01;

type CropFieldProps = {
  asset: Asset & { width: number; height: number };
  box: Box | null;
  onBoxChange: (box: Box) => void;
};

/** The crop rectangle on the picture: dragging outside draws a new one, arrow keys move it, and with Shift they resize it. */
export function CropField({ asset, box, onBoxChange }: CropFieldProps) {
  const frame = useRef<HTMLDivElement>(null);
  const held = useRef<{ handle: Handle | "draw"; x: number; y: number; box: Box } | null>(null);
  const [isHeld, setHeld] = useState(false);
  const picture = { width: asset.width, height: asset.height };
  const shown = fitBox(box ?? { x: 0, y: 0, ...picture }, picture);
  const [chosen, setChosen] = useState<Ratio>("free");
  const ratioOf = (name: Ratio): number | null =>
    name === "free"
      ? null
      : name === "original"
        ? picture.width / picture.height
        : (shapeRatio(name) ?? null);
  // A number typed below frees the rectangle from its ratio.
  const asked = ratioOf(chosen);
  const ratio = asked !== null && hasRatio(shown, asked) ? asked : null;
  const drag = (from: Box, handle: Handle, dx: number, dy: number): Box =>
    ratio === null
      ? dragBox(from, handle, dx, dy, picture)
      : dragBoxOfRatio(from, handle, dx, dy, picture, ratio);
  const choose = (name: Ratio) => {
    setChosen(name);
    const next = ratioOf(name);
    if (next !== null) onBoxChange(boxOfRatio(shown, next, picture));
  };

  const toPicture = (event: PointerEvent) => {
    const rect = frame.current?.getBoundingClientRect();
    if (!rect || rect.width === 0) return { x: 0, y: 0 };
    const scale = picture.width / rect.width;
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
    held.current = { handle, ...toPicture(event), box: shown };
    setHeld(true);
  };
  const move = (event: PointerEvent) => {
    const start = held.current;
    if (!start) return;
    const at = toPicture(event);
    const [dx, dy] = [Math.round(at.x - start.x), Math.round(at.y - start.y)];
    if (start.handle !== "draw") onBoxChange(drag(start.box, start.handle, dx, dy));
    else if (ratio === null) onBoxChange(boxBetween(start, at, picture));
    else {
      const corner = `${dy < 0 ? "n" : "s"}${dx < 0 ? "w" : "e"}` as Handle;
      const point = fitBox({ x: start.x, y: start.y, width: 1, height: 1 }, picture);
      onBoxChange(drag(point, corner, dx, dy));
    }
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
      event.ctrlKey || event.metaKey ? 1 : Math.max(1, Math.round(picture.width * stepShare));
    onBoxChange(drag(shown, event.shiftKey ? "se" : "move", dx * step, dy * step));
  };
  const percent = (part: number, whole: number) => `${(part / whole) * 100}%`;
  const place = {
    left: percent(shown.x, picture.width),
    top: percent(shown.y, picture.height),
    width: percent(shown.width, picture.width),
    height: percent(shown.height, picture.height),
  };
  return (
    <Field
      isGroup
      label={t("create.crop")}
      hint={t("create.crop.hint")}
      aside={`${shown.width} × ${shown.height}`}
    >
      {() => (
        <>
          <CropRatios chosen={ratio === null ? "free" : chosen} onChoose={choose} />
          <div
            ref={frame}
            className={styles.frame}
            style={cropFrame(picture)}
            onPointerDown={begin}
            onPointerMove={move}
            onPointerUp={end}
            onPointerCancel={end}
          >
            <img
              className={styles.picture}
              src={thumbnailUrl(asset, 640) ?? fileUrl(asset.id)}
              alt=""
              draggable={false}
            />
            <button
              type="button"
              data-handle="move"
              data-held={isHeld || undefined}
              className={styles.box}
              style={place}
              aria-label={t("create.crop.box", { ...shown })}
              onKeyDown={onKey}
            >
              {handles.map((handle) => (
                <span key={handle} data-handle={handle} className={styles.handle} aria-hidden />
              ))}
            </button>
          </div>
        </>
      )}
    </Field>
  );
}

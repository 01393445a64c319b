import { useGesture } from "@use-gesture/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { fileUrl, thumbnailUrl } from "../../../components/asset/asset-urls.ts";
import { formatShare } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { clampZoom, fitScale, type Size, type Zoom, zoomAbout } from "./zoom.ts";
import styles from "./zoom-view.module.css";

const step = 1.4;
const panPx = 60;
const margin = 24;
/** Change of the scale's natural logarithm per pixel of the wheel. */
const wheelFactor = 0.0018;

/** A picture with zoom and pan: wheel, pinch, double click and drag; plus, minus, 0, 1 and, once zoomed, Shift and arrows. */
export function ZoomView({ asset }: { asset: Asset }) {
  const frame = useRef<HTMLDivElement>(null);
  const [own, setOwn] = useState<Size | null>(
    asset.width && asset.height ? { width: asset.width, height: asset.height } : null,
  );
  const [room, setRoom] = useState<Size | null>(null);
  const [zoom, setZoom] = useState<Zoom | null>(null);
  const [isLoaded, setLoaded] = useState(false);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const measure = () =>
      setRoom({
        width: element.clientWidth - 2 * margin,
        height: element.clientHeight - 2 * margin,
      });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const fit = own && room ? { scale: fitScale(own, room), x: 0, y: 0 } : null;
  // The picture fits the window until the person zooms.
  const shown = zoom && own && room ? clampZoom(zoom, own, room) : fit;
  const isFit = !shown || !fit || shown.scale <= fit.scale * 1.001;
  // Several gestures may happen between two renders, so each continues from the previous one.
  const change = (next: (now: Zoom, own: Size, room: Size) => Zoom) => {
    if (!own || !room || !fit) return;
    setZoom((before) => next(before ? clampZoom(before, own, room) : fit, own, room));
  };
  const about = (factor: number, at = { x: 0, y: 0 }) =>
    change((now, own, room) => zoomAbout(now, factor, at, own, room));
  const pan = (x: number, y: number) =>
    change((now, own, room) => clampZoom({ ...now, x: now.x + x, y: now.y + y }, own, room));
  const toOwnSize = (at = { x: 0, y: 0 }) => {
    if (shown) about(1 / shown.scale, at);
  };
  const pointIn = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const box = frame.current?.getBoundingClientRect();
    return box
      ? { x: clientX - box.left - box.width / 2, y: clientY - box.top - box.height / 2 }
      : { x: 0, y: 0 };
  };

  useGesture(
    {
      onDrag: ({ delta: [x, y], pinching }) => {
        if (!pinching) pan(x, y);
      },
      onPinch: ({ offset: [scale], lastOffset: [before], origin: [x, y], memo = before }) => {
        about(scale / memo, pointIn({ clientX: x, clientY: y }));
        return scale;
      },
      onWheel: ({ event, delta: [, y] }) => {
        // Otherwise the page scrolls.
        event.preventDefault();
        // With Ctrl it is a pinch on a trackpad.
        if (!event.ctrlKey) about(Math.exp(-y * wheelFactor), pointIn(event));
      },
    },
    {
      target: frame,
      eventOptions: { passive: false },
      drag: { pointer: { keys: false } },
    },
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const acts: Record<string, () => void> = {
      "+": () => about(step),
      "=": () => about(step),
      "-": () => about(1 / step),
      "0": () => setZoom(null),
      "1": () => toOwnSize(),
    };
    const pans: Record<string, [number, number]> = {
      ArrowLeft: [panPx, 0],
      ArrowRight: [-panPx, 0],
      ArrowUp: [0, panPx],
      ArrowDown: [0, -panPx],
    };
    const by = pans[event.key];
    const act = by ? (event.shiftKey ? () => pan(...by) : undefined) : acts[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  };
  const size =
    own && shown ? { width: own.width * shown.scale, height: own.height * shown.scale } : undefined;
  const transform = shown
    ? `translate(calc(-50% + ${shown.x}px), calc(-50% + ${shown.y}px))`
    : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture that takes keys is no fieldset
    <div
      ref={frame}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys zoom
      tabIndex={0}
      aria-label={t("asset.view", { name: assetName(asset) })}
      className={isFit ? styles.frame : `${styles.frame} ${styles.moving}`}
      onKeyDown={onKeyDown}
      onDoubleClick={(event) => (isFit ? toOwnSize(pointIn(event)) : setZoom(null))}
    >
      {!isLoaded && own && (
        <img
          src={thumbnailUrl(asset, 640) ?? undefined}
          alt=""
          className={styles.picture}
          style={{ ...size, transform }}
        />
      )}
      <img
        src={fileUrl(asset.id)}
        alt={asset.promptText || assetName(asset)}
        draggable={false}
        className={styles.picture}
        style={{ ...size, transform }}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          setLoaded(true);
          setOwn((known) => known ?? { width: naturalWidth, height: naturalHeight });
        }}
      />
      <div className={styles.controls}>
        <IconButton
          icon={Minus}
          label={t("asset.zoomOut")}
          disabled={isFit}
          onClick={() => about(1 / step)}
        />
        <button
          type="button"
          className={styles.percent}
          data-tooltip={t("asset.zoomOwn")}
          onClick={() => toOwnSize()}
        >
          {formatShare(shown?.scale ?? 1)}
        </button>
        <IconButton icon={Plus} label={t("asset.zoomIn")} onClick={() => about(step)} />
        <IconButton
          icon={Maximize}
          label={t("asset.zoomFit")}
          disabled={isFit}
          onClick={() => setZoom(null)}
        />
      </div>
    </div>
  );
}
